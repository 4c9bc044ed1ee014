/**
 * How the authorization response is delivered to the client (OAuth 2.0 Multiple Response Type Encoding Practices §2.1,
 * Form Post Response Mode).
 */

import type { ResponseMode } from '../../store/authorization-parameters.ts';
import { splitScope } from '../tokens/scopes.ts';
import type { AuthorizationQuery } from './authorization-query.ts';

export const responseModes = ['query', 'fragment', 'form_post'] as const satisfies ResponseMode[];

type Asked = Pick<AuthorizationQuery, 'response_type' | 'response_mode'>;

/**
 * The mode of every response, errors included: the requested one if it is allowed, else the default of the response
 * type. Tokens are never put into a query, which servers and browser histories keep (§5).
 */
export function responseModeOf(asked: Asked, redirectUri: string): ResponseMode {
  const mode = responseModes.find((one) => one === asked.response_mode);
  if (mode !== undefined && responseModeFault(asked, redirectUri) === null) return mode;
  return hasTokens(asked) ? 'fragment' : 'query';
}

/** What is wrong with the requested mode, worded for the client, or null. */
export function responseModeFault(asked: Asked, redirectUri: string): string | null {
  const { response_mode: mode } = asked;
  if (mode === undefined) return null;
  if (!responseModes.some((one) => one === mode)) return `response_mode must be ${responseModes.join(', ')}`;
  if (mode === 'query' && hasTokens(asked)) return 'response_mode query must not be used for tokens';
  // A form can only be sent to a web address.
  if (mode === 'form_post' && !/^https?:/.test(redirectUri))
    return 'response_mode form_post requires a web redirect_uri';
  return null;
}

function hasTokens({ response_type: type }: Asked): boolean {
  return splitScope(type ?? '').some((part) => part === 'id_token' || part === 'token');
}
