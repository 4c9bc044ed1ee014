/** Exchange of an access token for one that can do less (RFC 8693). */

import type { Services } from '../../services.ts';
import type { LinkedServer } from '../../store/authorization-servers.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { Account } from '../accounts/account.ts';
import { currentAuditContext } from '../audit/context.ts';
import { recordEvent } from '../audit/record.ts';
import { requireGrantType } from '../clients/grant-types.ts';
import { exchangeGrant } from '../clients/known-values.ts';
import { limitedFor } from '../clients/limited-for.ts';
import { useProof } from '../dpop/check-proof.ts';
import { Failure } from '../failure.ts';
import { admit } from '../opening/admit.ts';
import { openExchangedToken } from '../opening/open.ts';
import { type FoundAccessToken, findAccessToken, isActive } from './access-token.ts';
import { areTooMany, resourcesIn, targetFault } from './audience.ts';
import { actorOf, invalid, requireMayExchange } from './exchange-rules.ts';
import type { TokenContents } from './jwt-access-token.ts';
import { allowedScope } from './scopes.ts';
import type { Sender } from './sender.ts';
import { accessTokenType, contentsOf, prepareAccessToken, type TokenSet, tokenTypeOf } from './token-set.ts';

const jwtType = 'urn:ietf:params:oauth:token-type:jwt';

/** Parameters of the request (RFC 8693 §2.1); null for those that were not sent. */
interface ExchangeRequest {
  readonly subjectToken: string;
  readonly subjectTokenType: string;
  readonly actorToken: string | null;
  readonly actorTokenType: string | null;
  readonly requestedTokenType: string | null;
  readonly resource: string | null;
  readonly audience: string | null;
  readonly scope: readonly string[] | null;
}

type ExchangeServices = Pick<Services, 'store' | 'clock' | 'random' | 'vault' | 'signer' | 'counts' | 'limits'>;

/**
 * Issues an access token for the same subject whose scope, audience and lifetime are within those of the presented one.
 * It belongs to the same grant and ends with it. Throws `client_not_authorized`, `request_invalid` for a token that is
 * not good or not for this client to exchange, `scope_invalid`, `target_invalid`, `access_not_assigned`, and
 * `rate_limited` when too many of a grant were exchanged by a client that anybody could be.
 */
export async function exchangeToken(
  services: ExchangeServices,
  account: Account,
  client: ClientRecord,
  request: ExchangeRequest,
  { binding, proof }: Sender,
): Promise<TokenSet> {
  requireGrantType(client, exchangeGrant);
  requireKnownTypes(request);
  const now = services.clock.now();
  const subject = await findAccessToken(services, account, request.subjectToken);
  if (!subject || !isActive(subject, now)) throw invalid('subject_token', 'is not a valid token');
  if (request.subjectTokenType === jwtType && !subject.linked)
    throw invalid('subject_token_type', 'does not match subject_token');
  const linked = await requireMayExchange(services, client, subject, binding);
  const scope = narrowScope(account, client, subject, linked, request.scope);
  const contents: TokenContents = {
    ...(subject.grant && subject.user ? contentsOf(subject.grant, subject.user, scope) : { scope, user: null }),
    audience: narrowAudience(subject, request),
    actor: await actorOf(services, account, client, subject, request.actorToken),
  };
  const { token } = subject;
  const prepared = prepareAccessToken(services, account, client, linked, binding, token.expiresAt);
  if (prepared.expiresInSeconds < 1) throw invalid('subject_token', 'is about to expire');
  const limited = limitedFor(client, token.grantId, currentAuditContext());
  if (limited) await services.limits.take(account, 'public-client', limited);
  const way = { client, hookPolicyId: null, wantsSecondFactor: false };
  const id = await services.store.transaction(async (tx) => {
    const { grantId, userId } = token;
    const admitted =
      userId === null
        ? null
        : await admit(services, tx, account, { by: 'token', user: { id: userId }, tokenId: token.id }, way);
    // The token of a user who may not use the app is invalid, whether that was so before or has just changed.
    if (admitted && admitted.at !== 'end') throw invalid('subject_token', 'is not a valid token');
    await useProof(tx, proof);
    const row = {
      ...prepared.row,
      accountId: account.id,
      grantId,
      appId: client.appId,
      scope,
      revokedAt: null,
    };
    const added = await openExchangedToken(tx, admitted, row);
    await recordEvent(tx, services, account, {
      action: 'access_token.exchanged',
      actor: { type: 'client', id: client.appId },
      target: { type: 'access_token', id: added.id },
      detail: { app_id: client.appId, user_id: userId, subject_token_id: token.id, subject_app_id: token.appId, scope },
    });
    return added.id;
  });
  services.counts.add(account.id, 'token_exchange', client.appId);
  return {
    accessToken: await prepared.text(id, contents),
    tokenType: tokenTypeOf(binding),
    expiresInSeconds: prepared.expiresInSeconds,
    scope,
    idToken: null,
    refreshToken: null,
    issuedTokenType: accessTokenType,
  };
}

function requireKnownTypes({
  subjectTokenType,
  actorToken,
  actorTokenType,
  requestedTokenType,
}: ExchangeRequest): void {
  const known = [accessTokenType, jwtType];
  if (!known.includes(subjectTokenType)) throw invalid('subject_token_type', 'must be an access token');
  if (requestedTokenType !== null && requestedTokenType !== accessTokenType) {
    throw invalid('requested_token_type', `must be ${accessTokenType}`);
  }
  // §2.1: `actor_token` and `actor_token_type` require each other.
  if ((actorToken === null) !== (actorTokenType === null))
    throw invalid('actor_token_type', 'must be sent with actor_token, and only then');
  if (actorTokenType !== null && !known.includes(actorTokenType)) {
    throw invalid('actor_token_type', 'must be an access token');
  }
}

/** The requested scopes within the subject token's, or all of them that this client may have. */
function narrowScope(
  account: Account,
  client: ClientRecord,
  subject: FoundAccessToken,
  linked: LinkedServer | null,
  asked: readonly string[] | null,
): readonly string[] {
  const allowed = allowedScope(account, client, linked ? [linked] : []);
  const possible = subject.scope.filter((scope) => allowed.includes(scope));
  const scope = asked === null ? possible : possible.filter((one) => asked.includes(one));
  if (asked?.some((one) => !possible.includes(one)) || (scope.length === 0 && subject.scope.length > 0)) {
    throw new Failure('scope_invalid', { name: 'scope', reason: 'wider than the subject token, or than the client' });
  }
  return scope;
}

/** The requested audience within the subject token's, or all of it (RFC 8707 §2.2, RFC 8693 §2.1). */
function narrowAudience(
  subject: FoundAccessToken,
  { resource, audience }: ExchangeRequest,
): string | readonly string[] {
  const present = [subject.audience].flat();
  const resources = resourcesIn(resource);
  if (resource !== null && areTooMany(resources)) throw targetFault([], resource);
  const asked = [...new Set([...resources, ...(audience === null ? [] : [audience])])];
  const [first, ...more] = asked;
  if (first === undefined) return subject.audience;
  const other = asked.find((one) => !present.includes(one));
  if (other !== undefined) {
    const name = resources.includes(other) ? 'resource' : 'audience';
    throw new Failure('target_invalid', { name, message: `${name} must be one that the subject token is for` });
  }
  return more.length === 0 ? first : asked;
}
