import type { Services } from '../../services.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { DeviceCodeRecord } from '../../store/device-codes.ts';
import type { Account } from '../accounts/account.ts';
import { requireGrantType } from '../clients/grant-types.ts';
import { deviceGrant } from '../clients/known-values.ts';
import { Failure } from '../failure.ts';
import { admit } from '../opening/admit.ts';
import { openGrant } from '../opening/open.ts';
import { digestOf } from '../secrets.ts';
import { type AskedAudience, chooseServerOfGrant, serversOf } from './audience.ts';
import type { Sender } from './sender.ts';
import type { TokenSet } from './token-set.ts';

type RedeemServices = Pick<Services, 'store' | 'clock' | 'random' | 'vault' | 'signer' | 'counts'>;

/**
 * Answers a device that polls for its user's decision: with its tokens, once, or with what is missing (RFC 8628 §3.4,
 * §3.5). What the approval depends on is checked as it is now, as for a code. Throws `client_not_authorized`,
 * `device_code_unready`, `grant_invalid` for a code that is unknown, used up or another client's, `target_invalid` and
 * the refusals of the user's standing.
 */
export async function redeemDeviceCode(
  services: RedeemServices,
  account: Account,
  client: ClientRecord,
  deviceCode: string,
  resource: string | null,
  sender: Sender,
): Promise<TokenSet> {
  requireGrantType(client, deviceGrant);
  const digest = digestOf(deviceCode);
  const device = await services.store.deviceCodes.find(account.id, digest);
  if (!device || device.appId !== client.appId) throw refused('unknown device code');
  const { userId, amr, authenticatedAt } = await requireAllowed(services, account, device);
  const { scope, serverId, sid, decidedAt: approvedAt, apiScopes } = device;
  const asked: AskedAudience = { resource, scope };
  const servers = await serversOf(services, client, { serverId, resource });
  const linked = chooseServerOfGrant(servers, serverId, asked);
  const now = services.clock.now();
  const way = { client, hookPolicyId: null, wantsSecondFactor: false, serverId };
  const approval = { sid, approvedAt, asked: { scope, serverId, redirectUri: null }, apiScopes: apiScopes ?? [] };
  const evidence = { by: 'device_code', user: { id: userId }, approval } as const;
  const started = await services.store.transaction(async (tx) => {
    const admitted = await admit(services, tx, account, evidence, way);
    if (admitted.at === 'refused') throw admitted.failure;
    if (admitted.at !== 'end') throw refused('what it rests on has ended');
    if (!(await tx.deviceCodes.consume(account.id, digest, now))) return null;
    // From now on the device is independent of the browser's session: signing out there does not sign the device out.
    const terms = { serverId, scope, sid: null, nonce: null, amr, authenticatedAt };
    const made = await openGrant(services, tx, account, admitted, terms, linked, 'device_code', sender);
    return { made, user: admitted.user };
  });
  if (!started) throw refused('device code used before');
  services.counts.add(account.id, 'device_code', client.appId);
  return started.made.tokens(started.user);
}

/** The user who approved the device. */
async function requireAllowed(
  { store, clock }: Pick<Services, 'store' | 'clock'>,
  account: Account,
  { digest, expiresAt, decision, userId, amr, authenticatedAt }: DeviceCodeRecord,
) {
  if (expiresAt <= clock.now()) throw unready('expired_token');
  if (decision === 'deny') throw unready('access_denied');
  if (userId !== null && amr !== null && authenticatedAt !== null) return { userId, amr, authenticatedAt };
  throw unready(
    (await store.deviceCodes.poll(account.id, digest, clock.now())) ? 'authorization_pending' : 'slow_down',
  );
}

function unready(value: 'authorization_pending' | 'slow_down' | 'access_denied' | 'expired_token'): Failure {
  return new Failure('device_code_unready', { value });
}

function refused(reason: string): Failure {
  return new Failure('grant_invalid', { reason });
}
