/**
 * How the authorization response is delivered to the client (OAuth 2.0 Multiple Response Type Encoding Practices §2.1,
 * Form Post Response Mode, JWT Secured Authorization Response Mode).
 */

import type { AuthorizationParameters, ResponseMode } from '../../store/authorization-parameters.ts';
import { splitScope } from '../tokens/scopes.ts';
import type { AuthorizationQuery } from './authorization-query.ts';

const unsigned = ['query', 'fragment', 'form_post'] as const satisfies ResponseMode[];

/** As requested. `jwt`: signed, and delivered by the default of the response type (JARM §2.3.4). */
export const responseModes = [...unsigned, 'query.jwt', 'fragment.jwt', 'form_post.jwt', 'jwt'] as const;

type Asked = Pick<AuthorizationQuery, 'response_type' | 'response_mode'>;

/**
 * The mode of every response, errors included: the requested one if it is allowed, else the default of the response
 * type. Tokens are never put into a query, which servers and browser histories keep (§5).
 */
export function deliveryOf(
  asked: Asked,
  redirectUri: string,
): { readonly responseMode: ResponseMode } & Pick<AuthorizationParameters, 'signedResponse'> {
  const byDefault = hasTokens(asked) ? 'fragment' : 'query';
  const { response_mode: mode } = asked;
  if (mode === undefined || responseModeFault(asked, redirectUri) !== null) return { responseMode: byDefault };
  return {
    responseMode: unsigned.find((one) => mode.startsWith(one)) ?? byDefault,
    ...(mode.endsWith('jwt') && { signedResponse: true }),
  };
}

/** What is wrong with the requested mode, worded for the client, or null. */
export function responseModeFault(asked: Asked, redirectUri: string): string | null {
  const { response_mode: mode } = asked;
  if (mode === undefined) return null;
  if (!responseModes.some((one) => one === mode)) return `response_mode must be ${responseModes.join(', ')}`;
  if (mode.startsWith('query') && hasTokens(asked)) return `response_mode ${mode} must not be used for tokens`;
  // A form can only be sent to a web address.
  if (mode.startsWith('form_post') && !/^https?:/.test(redirectUri))
    return `response_mode ${mode} requires a web redirect_uri`;
  return null;
}

function hasTokens({ response_type: type }: Asked): boolean {
  return splitScope(type ?? '').some((part) => part === 'id_token' || part === 'token');
}
