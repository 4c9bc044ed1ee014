import type { Services } from '../../services.ts';
import type { LinkedServer } from '../../store/authorization-servers.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { ConsumptionRefusal, Untypical } from '../../store/consumption.ts';
import type { Milliseconds } from '../../store/time.ts';
import type { Account } from '../accounts/account.ts';
import { currentAuditContext } from '../audit/context.ts';
import { requireGrantType } from '../clients/grant-types.ts';
import { limitedFor } from '../clients/limited-for.ts';
import { refreshGraceSecondsOf } from '../clients/security-profile.ts';
import { proofWasUsed } from '../dpop/check-proof.ts';
import { day, minute } from '../durations.ts';
import { Failure, type FailureCode } from '../failure.ts';
import { digestOf } from '../secrets.ts';
import {
  type AskedAudience,
  chooseServer,
  chooseServerOfGrant,
  noLongerHad,
  serversOf,
  serversOfGrant,
} from './audience.ts';
import { isSameBinding } from './binding.ts';
import { judgeRefresh } from './judge-refresh.ts';
import { trailOf } from './refresh-trail.ts';
import { accessibleScope, refreshableScope } from './scopes.ts';
import type { Sender } from './sender.ts';
import { lacksApiScope } from './target.ts';
import { contentsOf, makeIdToken, prepareAccessToken, type TokenSet, tokenTypeOf } from './token-set.ts';
import { newSuccessorSalt, parseRefreshToken, successorOf } from './token-text.ts';

/** Why a token with a valid proof is refused. */
type TokenRefusal = Exclude<ConsumptionRefusal, 'proof_used'>;

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
} as const satisfies Record<TokenRefusal, FailureCode>;

export type RefreshServices = Pick<
  Services,
  'store' | 'clock' | 'random' | 'vault' | 'signer' | 'limits' | 'counts' | 'onceAnHour'
>;

/**
 * Exchanges a refresh token for a new token set (RFC 6749 §6, the document's §4.2). The token is used up. Within the
 * account's grace period the same token gives the same successor again; after it, reuse ends the grant. Other refusals
 * change nothing, and neither does a token that is bound to another key or certificate (RFC 9449 §5, RFC 8705 §4). The trail
 * records everything except rotations, which are counted; events that can recur on one grant are recorded once an hour.
 * Throws `client_not_authorized`, `grant_invalid`, `scope_invalid`, `target_invalid`, `dpop_proof_invalid` for a proof
 * that was used before, `user_locked`, `user_suspended`, `user_inactive`, `access_not_assigned`, and `rate_limited`
 * when too many were refused.
 */
export async function refreshTokens(
  services: RefreshServices,
  account: Account,
  client: ClientRecord,
  presented: string,
  asked: AskedAudience,
  { binding, proof }: Sender,
): Promise<TokenSet> {
  requireGrantType(client, 'refresh_token');
  const read = parseRefreshToken(services.vault, account, presented);
  if (read === null) throw new Failure('grant_invalid', { reason: 'not a refresh token of this account' });
  const { grantId } = read;
  if (read.binding !== null && !isSameBinding(read.binding, binding)) {
    throw new Failure('grant_invalid', { reason: `bound to another ${read.binding.to}` });
  }
  const origin = currentAuditContext();
  const subject = limitedFor(client, grantId, origin);
  if (subject) await services.limits.requireLeft(account, 'public-client', subject);
  const successorSalt = newSuccessorSalt(services.random);
  const successor = successorOf(presented, successorSalt);
  // A client without an API costs no further query.
  const { server, scope } =
    client.linkedServers === 0 && !client.usesOpenServers
      ? unlinked(account, client, asked)
      : await linked(services, account, client, grantId, asked);
  const accessToken = prepareAccessToken(services, account, client, server, binding);
  const now = services.clock.now();
  const trail = trailOf(services, account, client, grantId, origin);
  const consumption = {
    accountId: account.id,
    grantId,
    appId: client.appId,
    presentedDigest: digestOf(presented),
    scope,
    now,
    graceMilliseconds: refreshGraceSecondsOf(account, client) * 1000,
    successorDigest: digestOf(successor),
    successorSalt,
    idleExpiresAt: idleExpiry(account, client, now, server),
    accessToken: accessToken.row,
    proof: proof?.use ?? null,
    judge: judgeRefresh,
    eventOf: trail.eventOf,
  };
  const result = await services.store.grants.consume(consumption).catch(trail.takeBack);
  if (result.outcome !== 'rotated') services.counts.addToAccount(account.id, `refresh.${result.outcome}`);
  if (result.outcome === 'refused' || result.outcome === 'reused') {
    if (subject) await services.limits.take(account, 'public-client', subject);
    throw failureOf(result);
  }
  if (result.outcome === 'rotated') services.counts.add(account.id, 'refresh', client.appId);
  const { grant, user } = result;
  const granted = accessibleScope(scope ?? grant.scope, server);
  const text = await accessToken.text(result.accessTokenId, contentsOf(grant, user, granted));
  return {
    accessToken: text,
    tokenType: tokenTypeOf(binding),
    expiresInSeconds: accessToken.expiresInSeconds,
    scope: granted,
    // A narrower scope also narrows the id token.
    idToken: await makeIdToken(services, account, client, { ...grant, scope: granted }, user, text, null),
    refreshToken: result.outcome === 'rotated' ? successor : successorOf(presented, grant.successorSalt ?? ''),
  };
}

function failureOf(result: Extract<Untypical, { readonly outcome: 'refused' | 'reused' }>): Failure {
  if (result.outcome === 'reused') return new Failure('grant_invalid', { reason: 'reused, grant revoked' });
  const { reason } = result;
  return reason === 'proof_used' ? proofWasUsed() : new Failure(refusals[reason], { reason });
}

/** The server and scopes of the next access token; null: those of the grant. */
interface Target {
  readonly server: LinkedServer | null;
  readonly scope: readonly string[] | null;
}

function unlinked(account: Account, client: ClientRecord, asked: AskedAudience): Target {
  return { server: chooseServer([], asked), scope: refreshableScope(account, client, asked.scope) };
}

/** A scope wider than the grant's is passed through, for the consumption to refuse; so is a token of another client. */
async function linked(
  { store }: Pick<Services, 'store'>,
  account: Account,
  client: ClientRecord,
  grantId: number,
  asked: AskedAudience,
): Promise<Target> {
  const grant = await store.grants.findForApis(client.accountId, grantId);
  if (grant?.appId !== client.appId) return { server: null, scope: asked.scope };
  const { serverId } = grant;
  const all = await serversOf({ store }, client, { serverId, resource: asked.resource });
  const servers = serversOfGrant(all, grant);
  const wanted = refreshableScope(account, client, asked.scope, all) ?? grant.scope;
  const server = chooseServerOfGrant(servers, serverId, { ...asked, scope: wanted });
  // Nothing that its user allowed is open any more.
  if (lacksApiScope(server, grant.scope)) throw noLongerHad();
  if (wanted.some((scope) => !grant.scope.includes(scope))) return { server, scope: wanted };
  const scope = accessibleScope(wanted, server);
  if (asked.scope !== null && scope.length === 0) {
    throw new Failure('scope_invalid', { name: 'scope', reason: 'the link does not allow these scopes any more' });
  }
  return { server, scope };
}

/** When an unused grant ends: as its API authorization server says, else the app, else the account. */
export function idleExpiry(
  account: Account,
  client: Pick<ClientRecord, 'refreshTokenMinutes'>,
  now: Milliseconds,
  linked: LinkedServer | null,
): Milliseconds {
  const minutes = linked?.server.refreshTokenMinutes ?? client.refreshTokenMinutes;
  return minutes === null ? now + account.settings.refreshIdleDays * day : now + minutes * minute;
}

/** When a grant ends even if it is used. */
export function absoluteExpiry(account: Account, now: Milliseconds): Milliseconds {
  return now + account.settings.refreshAbsoluteDays * day;
}
