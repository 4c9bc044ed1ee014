/**
 * What an authorization request asks to be answered with: a code, or, where the account turned that on, tokens at once
 * (the implicit flow, OpenID Connect Core §3.2). Tokens in an address are seen by more eyes than a client's, and no key
 * can be asked for (RFC 9700 §2.1.2): so this is off unless somebody wants it.
 */

import type { ResponseType } from '../../store/client-metadata.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { Account } from '../accounts/account.ts';
import { hasGrantType } from '../clients/grant-types.ts';
import { knownResponseTypes } from '../clients/known-values.ts';
import type { AuthorizationQuery } from './authorization-query.ts';
import type { AuthorizationError } from './redirect.ts';

/** Those that the account answers. */
export function offeredResponseTypes({ settings }: Pick<Account, 'settings'>): readonly ResponseType[] {
  return settings.implicitGrant ? knownResponseTypes : ['code'];
}

/** The type that a request names, in whatever order (RFC 6749 §3.1.1); undefined for one that nobody knows. */
export function responseTypeOf({ response_type: text = '' }: AuthorizationQuery): ResponseType | undefined {
  const ordered = text.split(' ').sort().join(' ');
  return knownResponseTypes.find((type) => type === ordered);
}

/** Why the client does not get such an answer, or null. */
export function responseTypeFault(
  account: Pick<Account, 'settings'>,
  client: ClientRecord,
  type: ResponseType | undefined,
): AuthorizationError | null {
  const offered = offeredResponseTypes(account);
  if (type === undefined || !offered.includes(type)) {
    return { error: 'unsupported_response_type', description: `response_type must be ${offered.join(', ')}` };
  }
  const unauthorized = (description: string) => ({ error: 'unauthorized_client', description }) as const;
  const grantType = type === 'code' ? 'authorization_code' : 'implicit';
  if (!hasGrantType(client, grantType) || !client.responseTypes.includes(type)) {
    const answer = type === 'code' ? 'the authorization code' : `response_type ${type}`;
    return unauthorized(`the client is not registered for ${answer}`);
  }
  // RFC 9449 §5.2: a key is proved at the token endpoint alone.
  return type === 'id_token token' && client.extra.dpop_bound_access_tokens
    ? unauthorized('the client is registered for access tokens that are bound to a key')
    : null;
}

/** What is wrong with a request for tokens that would be right for a code (OpenID Connect Core §3.2.2.1); null: nothing. */
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
  // Nobody has shown to have the key: a client that asks for it must not think that its tokens are bound.
  return key === undefined ? null : invalid('dpop_jkt requires an authorization code');
}
