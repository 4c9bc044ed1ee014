/** Parses an authorization request into the form in which it is stored. */

import type { Services } from '../../services.ts';
import type { AuthorizationParameters } from '../../store/authorization-parameters.ts';
import type { ResponseType } from '../../store/client-metadata.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { Account } from '../accounts/account.ts';
import { readIdTokenHint } from '../tokens/id-token-hint.ts';
import { grantableScope, splitScope } from '../tokens/scopes.ts';
import type { Target } from '../tokens/target.ts';
import type { AuthorizationQuery } from './authorization-query.ts';
import { type ReadClaims, readClaims } from './claims-request.ts';
import { multiFactor, singleFactor } from './methods.ts';
import type { AuthorizationError } from './redirect.ts';
import { responseTypeOf } from './response-type.ts';

const nothing: ReadClaims = { claims: { idToken: {}, userinfo: {} }, acr: null, subject: null };

/** Parses a request that has no other errors; errors of a hint or of `claims` are sent to the client. */
export async function readParameters(
  services: Pick<Services, 'signer'>,
  account: Account,
  client: ClientRecord,
  { servers, named }: Pick<Target, 'servers' | 'named'>,
  query: AuthorizationQuery,
  target: Pick<AuthorizationParameters, 'redirectUri' | 'responseMode' | 'signedResponse'>,
): Promise<AuthorizationParameters | AuthorizationError> {
  const read = query.claims === undefined ? nothing : readClaims(query.claims, account, client);
  if (typeof read === 'string') return invalid(read);
  const type = responseTypeOf(query) ?? 'code';
  // OpenID Connect Core §5.5: userinfo claims need an access token.
  if (type === 'id_token' && Object.keys(read.claims.userinfo).length > 0) {
    return invalid('claims asks for userinfo, but response_type does not ask for an access token');
  }
  const meant = await readSubject(services, account, client, query.id_token_hint, read.subject);
  const acr = readAcr(query, read.acr);
  if ('error' in meant) return meant;
  if ('error' in acr) return acr;
  return {
    ...target,
    ...(type !== 'code' && { responseType: type }),
    redirectUriGiven: query.redirect_uri !== undefined,
    scope: grantableScope(account, client, query.scope, servers),
    ...(isOffline(query, type) && { offlineAccess: true }),
    state: query.state ?? null,
    nonce: query.nonce ?? null,
    codeChallenge: query.code_challenge ?? null,
    loginHint: query.login_hint ?? null,
    prompt: splitScope(query.prompt ?? ''),
    maxAgeSeconds: query.max_age === undefined ? (client.extra.default_max_age ?? null) : Number(query.max_age),
    ...(query.dpop_jkt !== undefined && { dpopKey: query.dpop_jkt }),
    serverId: named?.server.id ?? null,
    ...acr,
    ...meant,
    ...(isAsked(read.claims) && { claims: read.claims }),
  };
}

/** OpenID Connect Core §11: only where a code is requested. Tokens do not have this scope. */
function isOffline({ scope = '' }: AuthorizationQuery, type: ResponseType): boolean {
  return type === 'code' && splitScope(scope).includes('offline_access');
}

function invalid(description: string): AuthorizationError {
  return { error: 'invalid_request', description };
}

/** The only user who may sign in, by a hint or by `claims` (OpenID Connect Core §3.1.2.1, §5.5.1). */
async function readSubject(
  services: Pick<Services, 'signer'>,
  account: Account,
  client: ClientRecord,
  text: string | undefined,
  asked: string | null,
): Promise<Pick<AuthorizationParameters, 'subject'> | AuthorizationError> {
  if (text === undefined) return asked === null ? {} : { subject: asked };
  const hint = await readIdTokenHint(services, account, text);
  if (hint?.clientId !== client.clientId)
    return invalid('id_token_hint is not an id token that was issued to this client');
  if (asked !== null && asked !== hint.subject) return invalid('id_token_hint and claims name different users');
  return { subject: hint.subject };
}

/**
 * The first known value counts, since the values are in order of preference (OpenID Connect Core §3.1.2.1, RFC 9470
 * §4). `acr` in `claims` takes precedence over `acr_values` (OpenID Connect Core §5.5.1.1).
 */
function readAcr(
  { acr_values: values }: AuthorizationQuery,
  asked: ReadClaims['acr'],
): Pick<AuthorizationParameters, 'secondFactor' | 'essentialAcr'> | AuthorizationError {
  const isKnown = (value: string) => value === singleFactor || value === multiFactor;
  const named = asked?.values ?? [];
  const essential = asked?.essential ? named.filter(isKnown) : [];
  if (asked?.essential && named.length > 0 && essential.length === 0) return unmetAcr;
  const wanted = [...named, ...splitScope(values ?? '')].find(isKnown);
  return {
    ...(wanted === multiFactor && { secondFactor: true }),
    ...(essential.length > 0 && { essentialAcr: essential }),
  };
}

/** OpenID Connect Core Unmet Authentication Requirements 1.0 §2. */
export const unmetAcr: AuthorizationError = {
  error: 'unmet_authentication_requirements',
  description: 'the sign-in does not meet an acr that was requested as essential',
};

function isAsked({ idToken, userinfo }: ReadClaims['claims']): boolean {
  return Object.keys(idToken).length > 0 || Object.keys(userinfo).length > 0;
}
