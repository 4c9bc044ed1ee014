import type { Services } from '../../services.ts';
import type { ClientRecord, Milliseconds } from '../../store/records.ts';
import type { ConsumptionRefusal, Untypical } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import type { AuditEvent } from '../audit/events.ts';
import { currentOrigin } from '../audit/origin.ts';
import { newEvent } from '../audit/record.ts';
import { Failure, type FailureCode } from '../failure.ts';
import { digestOf } from '../secrets.ts';
import { accessTokenSeconds, makeIdToken, prepareAccessToken, type TokenSet } from './token-set.ts';
import { newSuccessorSalt, parseRefreshToken, successorOf } from './token-text.ts';

const dayMilliseconds = 86_400_000;

const refusals = {
  unknown: 'grant_invalid',
  other_client: 'grant_invalid',
  expired: 'grant_invalid',
  revoked: 'grant_invalid',
  scope_exceeded: 'scope_invalid',
  user_locked: 'user_locked',
  user_suspended: 'user_suspended',
  user_inactive: 'user_inactive',
  access_not_assigned: 'access_not_assigned',
} as const satisfies Record<ConsumptionRefusal, FailureCode>;

/**
 * Exchanges a refresh token for a new token set (RFC 6749 §6, the document's §4.2). The token is used up; within the
 * account's grace the same token gets the same successor again, later it ends the grant. Any other refusal changes
 * nothing. The trail tells of everything but a rotation, which is counted. Throws `client_not_authorized`, `grant_invalid`, `scope_invalid`, `user_locked`, `user_suspended`,
 * `user_inactive`, `access_not_assigned`.
 */
export async function refreshTokens(
  services: Pick<Services, 'store' | 'clock' | 'random' | 'vault' | 'signer' | 'counts' | 'consumeRefreshToken'>,
  account: Account,
  client: ClientRecord,
  presented: string,
  scope: readonly string[] | null,
): Promise<TokenSet> {
  if (!client.grantTypes.includes('refresh_token')) throw new Failure('client_not_authorized');
  const grantId = parseRefreshToken(services.vault, account, presented);
  if (grantId === null) throw new Failure('grant_invalid', { reason: 'not a refresh token of this account' });
  const successorSalt = newSuccessorSalt(services.random);
  const successor = successorOf(presented, successorSalt);
  const accessToken = prepareAccessToken(services);
  const now = services.clock.now();
  const origin = currentOrigin();
  const result = await services.consumeRefreshToken({
    accountId: account.id,
    grantId,
    appId: client.appId,
    presentedDigest: digestOf(presented),
    scope,
    now,
    graceMilliseconds: account.settings.refreshGraceSeconds * 1000,
    successorDigest: digestOf(successor),
    successorSalt,
    idleExpiresAt: idleExpiry(account, now),
    accessToken: accessToken.row,
    eventOf: (outcome) => newEvent(services, account, describe(client, grantId, outcome), origin),
  });
  if (result.outcome === 'refused') throw new Failure(refusals[result.reason], { reason: result.reason });
  if (result.outcome === 'reused') throw new Failure('grant_invalid', { reason: 'reused, grant revoked' });
  if (result.outcome === 'rotated') services.counts.add(account.id, 'refresh', client.appId);
  const { grant, user } = result;
  const text = accessToken.text(result.accessTokenId);
  const granted = scope ?? grant.scope;
  return {
    accessToken: text,
    expiresInSeconds: accessTokenSeconds,
    scope: granted,
    // A narrower scope narrows what the id token says as well.
    idToken: await makeIdToken(services, account, client, { ...grant, scope: granted }, user, text, null),
    refreshToken: result.outcome === 'rotated' ? successor : successorOf(presented, grant.successorSalt ?? ''),
  };
}

function describe(client: ClientRecord, grantId: number, outcome: Untypical): AuditEvent {
  const about = { actor: { type: 'client', id: client.appId }, target: { type: 'grant', id: grantId } } as const;
  if (outcome.outcome === 'refused') {
    return { ...about, action: 'refresh.refused', detail: { reason: outcome.reason } };
  }
  return outcome.outcome === 'reused'
    ? { ...about, action: 'refresh.reused', detail: { reason: 'refresh_token_reused' } }
    : { ...about, action: 'refresh.repeated', detail: { user_id: outcome.user.id } };
}

/** When a grant ends that is not used again. */
export function idleExpiry(account: Account, now: Milliseconds): Milliseconds {
  return now + account.settings.refreshIdleDays * dayMilliseconds;
}

/** When a grant ends however often it is used. */
export function absoluteExpiry(account: Account, now: Milliseconds): Milliseconds {
  return now + account.settings.refreshAbsoluteDays * dayMilliseconds;
}
