/** The errors of an authorization request that the client is told about. */

import type { ClientRecord } from '../../store/clients.ts';
import type { Account } from '../accounts/account.ts';
import { followsFapi } from '../clients/security-profile.ts';
import { asDescription } from '../describe.ts';
import { grantableScope, splitScope } from '../tokens/scopes.ts';
import { scopeFault, type Target } from '../tokens/target.ts';
import type { AuthorizationQuery } from './authorization-query.ts';
import type { AuthorizationError } from './redirect.ts';
import { responseModeFault } from './response-mode.ts';
import { implicitFault, responseTypeFault, responseTypeOf } from './response-type.ts';

/** The first error that is sent to the client's redirect URI, or null. */
export function findFault(
  account: Pick<Account, 'settings'>,
  client: ClientRecord,
  { servers, fault: targetFault }: Pick<Target, 'servers' | 'fault'>,
  query: AuthorizationQuery,
  redirectUri: string,
): AuthorizationError | null {
  const fault = (error: AuthorizationError['error'], description: string) => ({ error, description });
  if (query.response_type === undefined) return fault('invalid_request', 'response_type is missing');
  const type = responseTypeOf(query);
  const typeFault = responseTypeFault(account, client, type);
  if (typeFault) return typeFault;
  const modeFault = responseModeFault(query, redirectUri);
  if (modeFault !== null) return fault('invalid_request', modeFault);
  if (targetFault) return fault('invalid_target', asDescription(targetFault.message));
  const scope = grantableScope(account, client, query.scope, servers);
  const tooLittle = scopeFault(account, client, servers, scope);
  if (tooLittle !== null) return fault('invalid_scope', tooLittle);
  const prompts = splitScope(query.prompt ?? '');
  const unknown = prompts.find((prompt) => !['none', 'login', 'consent', 'select_account'].includes(prompt));
  if (unknown !== undefined) return fault('invalid_request', 'prompt must be none, login, consent or select_account');
  if (prompts.includes('none') && prompts.length > 1)
    return fault('invalid_request', 'prompt none must not be combined with other values');
  if (query.max_age !== undefined && !(/^\d{1,10}$/.test(query.max_age) && Number(query.max_age) < 2 ** 31)) {
    return fault('invalid_request', 'max_age must be a number of seconds');
  }
  if (query.dpop_jkt !== undefined && !/^[\w-]{43}$/.test(query.dpop_jkt)) {
    return fault('invalid_request', 'dpop_jkt must be a SHA-256 thumbprint in base64url');
  }
  return type === 'code'
    ? findChallengeFault(account, client, query)
    : implicitFault(client, query, redirectUri, scope);
}

/** RFC 7636 §4.3, RFC 9700 §2.1.1, FAPI 2.0 §5.3.2.2: S256 only, and always for clients without a secret. */
function findChallengeFault(
  account: Pick<Account, 'settings'>,
  client: ClientRecord,
  query: AuthorizationQuery,
): AuthorizationError | null {
  const { code_challenge: challenge, code_challenge_method: method } = query;
  const fault = (description: string) => ({ error: 'invalid_request' as const, description });
  if (challenge === undefined) {
    if (method !== undefined) return fault('code_challenge is missing');
    if (followsFapi(account, client)) return fault('code_challenge is required by FAPI 2.0');
    return client.authMethod === 'none' ? fault('code_challenge is required for clients without a secret') : null;
  }
  if (method !== 'S256') return fault('code_challenge_method must be S256');
  return /^[\w-]{43}$/.test(challenge) ? null : fault('code_challenge must be a SHA-256 hash in base64url');
}
