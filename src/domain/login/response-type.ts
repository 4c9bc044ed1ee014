/**
 * The response type of an authorization request: a code or, if the account turned that on, tokens at once (the implicit
 * flow, OpenID Connect Core §3.2). Tokens in a URL can leak to others than the client and cannot be bound to a key (RFC
 * 9700 §2.1.2), so this is off by default.
 */

import type { ResponseType } from '../../store/client-metadata.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { Account } from '../accounts/account.ts';
import { hasGrantType } from '../clients/grant-types.ts';
import { knownResponseTypes } from '../clients/known-values.ts';
import { followsFapi } from '../clients/security-profile.ts';
import type { AuthorizationQuery } from './authorization-query.ts';
import type { AuthorizationError } from './redirect.ts';

/** The response types that the account supports. */
export function offeredResponseTypes({ settings }: Pick<Account, 'settings'>): readonly ResponseType[] {
  return settings.implicitGrant ? knownResponseTypes : ['code'];
}

/** The requested type, in any order of its words (RFC 6749 §3.1.1); undefined if it is unknown. */
export function responseTypeOf({ response_type: text = '' }: AuthorizationQuery): ResponseType | undefined {
  const ordered = text.split(' ').sort().join(' ');
  return knownResponseTypes.find((type) => type === ordered);
}

/** Why the client may not use this response type, or null. */
export function responseTypeFault(
  account: Pick<Account, 'settings'>,
  client: ClientRecord,
  type: ResponseType | undefined,
): AuthorizationError | null {
  const offered: readonly ResponseType[] = followsFapi(account, client) ? ['code'] : offeredResponseTypes(account);
  if (type === undefined || !offered.includes(type)) {
    return { error: 'unsupported_response_type', description: `response_type must be ${offered.join(', ')}` };
  }
  const unauthorized = (description: string) => ({ error: 'unauthorized_client', description }) as const;
  const grantType = type === 'code' ? 'authorization_code' : 'implicit';
  if (!hasGrantType(client, grantType) || !client.responseTypes.includes(type)) {
    const answer = type === 'code' ? 'the authorization code' : `response_type ${type}`;
    return unauthorized(`the client is not registered for ${answer}`);
  }
  // RFC 9449 §5.2, RFC 8705 §3: the authorization endpoint sees neither a proof nor the client's certificate.
  const { dpop_bound_access_tokens: byKey, tls_client_certificate_bound_access_tokens: byCertificate } = client.extra;
  return type === 'id_token token' && (byKey || byCertificate)
    ? unauthorized('the client is registered for access tokens that are bound to a key')
    : null;
}

/** What is wrong with a request for tokens that would be valid for a code (OpenID Connect Core §3.2.2.1), or null. */
export function implicitFault(
  { applicationType }: ClientRecord,
  { nonce, dpop_jkt: key }: AuthorizationQuery,
  redirectUri: string,
  scope: readonly string[],
): AuthorizationError | null {
  const invalid = (description: string) => ({ error: 'invalid_request', description }) as const;
  if (nonce === undefined) return invalid('nonce is missing');
  if (!scope.includes('openid')) return { error: 'invalid_scope', description: 'scope must contain openid' };
  if (applicationType === 'web' && redirectUri.startsWith('http:')) {
    return invalid('redirect_uri must be https, unless the client is a native application');
  }
  // No key was proved here: a client that requires bound tokens must not get unbound ones.
  return key === undefined ? null : invalid('dpop_jkt requires an authorization code');
}
