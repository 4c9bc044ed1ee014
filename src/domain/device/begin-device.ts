import type { Services } from '../../services.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { Account } from '../accounts/account.ts';
import { isUnstored } from '../clients/document-client.ts';
import { requireGrantType } from '../clients/grant-types.ts';
import { deviceGrant } from '../clients/known-values.ts';
import { Failure } from '../failure.ts';
import { digestOf, newSecret } from '../secrets.ts';
import { grantableScope } from '../tokens/scopes.ts';
import { scopeFault, targetOf } from '../tokens/target.ts';
import { newUserCode, shownUserCode, userCodeDigest } from './user-code.ts';

const deviceCodeSeconds = 600;
const intervalSeconds = 5;
/** If another device shows the same user code, a new one is drawn; twice in a row is a fault. */
const mostDraws = 3;

interface BegunDevice {
  readonly deviceCode: string;
  /** As it is shown. */
  readonly userCode: string;
  readonly expiresInSeconds: number;
  readonly intervalSeconds: number;
}

/** A device's request: scope and resource as at the authorization endpoint (RFC 8628 §3.1, RFC 8707 §2.1). */
interface AskedByDevice {
  readonly scope: string | undefined;
  readonly resource: string | null;
}

/**
 * Begins the sign-in of a device without a browser. Throws `client_not_authorized`, `scope_invalid` when none of the
 * requested scopes is available, and `target_invalid`.
 */
export async function beginDevice(
  services: Pick<Services, 'store' | 'clock' | 'random' | 'vault'>,
  account: Account,
  client: ClientRecord,
  { scope: asked, resource }: AskedByDevice,
): Promise<BegunDevice> {
  requireGrantType(client, deviceGrant);
  // A device's code is a row, and nothing is stored for a client that nobody has agreed to.
  if (isUnstored(client)) throw new Failure('client_not_authorized', { reason: 'the client has no row yet' });
  const { servers, named, fault } = await targetOf(services, client, resource);
  if (fault) throw fault;
  const scope = grantableScope(account, client, asked, servers);
  const message = scopeFault(account, client, servers, scope);
  if (message !== null) throw new Failure('scope_invalid', { name: 'scope', message });
  const serverId = named?.server.id ?? null;
  const deviceCode = newSecret(services.random, '');
  const userCode = await store(services, account, client, { deviceCode, scope, serverId });
  return { deviceCode, userCode: shownUserCode(userCode), expiresInSeconds: deviceCodeSeconds, intervalSeconds };
}

/** Returns the user code that was free. */
async function store(
  { store, clock, random, vault }: Pick<Services, 'store' | 'clock' | 'random' | 'vault'>,
  account: Account,
  client: ClientRecord,
  wanted: { readonly deviceCode: string; readonly scope: readonly string[]; readonly serverId: number | null },
): Promise<string> {
  const now = clock.now();
  for (let draws = 1; ; draws += 1) {
    const userCode = newUserCode(random);
    try {
      await store.deviceCodes.create({
        accountId: account.id,
        digest: digestOf(wanted.deviceCode),
        userCodeDigest: userCodeDigest(vault, account.record, userCode),
        appId: client.appId,
        scope: wanted.scope,
        serverId: wanted.serverId,
        intervalSeconds,
        nextPollAt: now,
        decision: null,
        userId: null,
        amr: null,
        authenticatedAt: null,
        sid: null,
        decidedAt: null,
        apiScopes: null,
        createdAt: now,
        expiresAt: now + deviceCodeSeconds * 1000,
      });
      return userCode;
    } catch (error) {
      if (!(error instanceof Failure && error.code === 'conflict') || draws === mostDraws) throw error;
    }
  }
}
