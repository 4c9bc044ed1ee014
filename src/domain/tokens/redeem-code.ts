import { createHash } from 'node:crypto';
import type { Services } from '../../services.ts';
import type { CodeRecord } from '../../store/authorizations.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { Account } from '../accounts/account.ts';
import { requireGrantType } from '../clients/grant-types.ts';
import { Failure } from '../failure.ts';
import { askedOfRegistration } from '../login/still-registered.ts';
import { admit } from '../opening/admit.ts';
import { openGrant } from '../opening/open.ts';
import { digestOf } from '../secrets.ts';
import { chooseServerOfGrant, serversOf } from './audience.ts';
import { revokeGrant } from './revoke.ts';
import type { Sender } from './sender.ts';
import type { TokenSet } from './token-set.ts';

export interface CodeRedemption {
  readonly code: string;
  readonly redirectUri: string | null;
  readonly codeVerifier: string | null;
  /** The API authorization server that the access token is for (RFC 8707 §2.2); null: as it was authorized. */
  readonly resource: string | null;
  readonly sender: Sender;
}

/**
 * Redeems an authorization code (RFC 6749 §4.1.3, RFC 7636 §4.6). A code works once: if its client uses it again, the
 * grant that it made ends (§4.1.2). The password, session, consent, access and registration that the code depends on
 * are checked as they are now. Throws `client_not_authorized`, `grant_invalid`, `target_invalid` and the refusals of
 * the user's standing.
 */
export async function redeemCode(
  services: Pick<Services, 'store' | 'clock' | 'random' | 'vault' | 'signer' | 'counts'>,
  account: Account,
  client: ClientRecord,
  redemption: CodeRedemption,
): Promise<TokenSet> {
  requireGrantType(client, 'authorization_code');
  const digest = digestOf(redemption.code);
  const code = await services.store.authorizations.findCode(account.id, digest);
  if (!code || code.appId !== client.appId) throw refused('unknown code');
  requireSameTerms(code, redemption);
  const { parameters, sid, amr, authenticatedAt, createdAt: approvedAt } = code;
  const { scope, nonce, claims, offlineAccess, apiScopes = [] } = parameters;
  // A code that an older release made says nothing about servers.
  const serverId = parameters.serverId ?? null;
  const { resource } = redemption;
  const servers = await serversOf(services, client, { serverId, resource });
  const linked = chooseServerOfGrant(servers, serverId, { resource, scope });
  const now = services.clock.now();
  const way = { client, hookPolicyId: null, wantsSecondFactor: false, serverId };
  // `offline_access` was asked about before the code was made, and goes with the consent as a whole.
  const approval = { sid, approvedAt, asked: askedOfRegistration(parameters), apiScopes };
  const evidence = { by: 'code', user: { id: code.userId }, approval } as const;
  const started = await services.store.transaction(async (tx) => {
    const admitted = await admit(services, tx, account, evidence, way);
    // A conditional update has exactly one winner. The revocation after a replay must be committed, so nothing is
    // thrown here.
    if (!(await tx.authorizations.consumeCode(account.id, digest, now))) {
      const used = await tx.authorizations.findCode(account.id, digest);
      if (used?.grantId != null) await revokeGrant(services, tx, account, client, used.grantId, 'code_replayed');
      return null;
    }
    // After the attempt to use the code: a code that was used before ends its grant, whatever it depends on.
    if (admitted.at === 'refused') throw admitted.failure;
    if (admitted.at !== 'end') throw refused('what it rests on has ended');
    const terms = { serverId, scope, sid, nonce, amr, authenticatedAt, claims, offlineAccess };
    const made = await openGrant(
      services,
      tx,
      account,
      admitted,
      terms,
      linked,
      'authorization_code',
      redemption.sender,
    );
    await tx.authorizations.linkCode(account.id, digest, made.grant.id);
    return { made, user: admitted.user };
  });
  if (!started) throw refused('code expired or used before');
  services.counts.add(account.id, 'authorization_code', client.appId);
  return started.made.tokens(started.user);
}

/** Throws `grant_invalid` where a code is redeemed on other terms than it was asked for. */
export function requireSameTerms(
  { parameters }: Pick<CodeRecord, 'parameters'>,
  { redirectUri, codeVerifier, sender }: Omit<CodeRedemption, 'resource'>,
): void {
  // RFC 6749 §4.1.3: must equal the one in the authorization request, if there was one.
  const uriFits = redirectUri === null ? !parameters.redirectUriGiven : redirectUri === parameters.redirectUri;
  if (!uriFits) throw refused('another redirect_uri');
  const { codeChallenge, dpopKey } = parameters;
  // RFC 9449 §10: a code that was requested with a key works only with that key.
  if (dpopKey !== undefined && dpopKey !== sender.proof?.thumbprint) throw refused('another key than dpop_jkt');
  // RFC 9700 §2.1.1: a verifier for a code without a challenge is a downgrade attempt.
  if ((codeVerifier === null) !== (codeChallenge === null)) throw refused('code_verifier without challenge, or none');
  if (codeVerifier === null) return;
  const fits = /^[\w.~-]{43,128}$/.test(codeVerifier) && challengeOf(codeVerifier) === codeChallenge;
  if (!fits) throw refused('wrong code_verifier');
}

/** RFC 7636 §4.2, method S256. */
function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier, 'ascii').digest('base64url');
}

function refused(reason: string): Failure {
  return new Failure('grant_invalid', { reason });
}
