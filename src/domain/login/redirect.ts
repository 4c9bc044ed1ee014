import type { AuthorizationParameters } from '../../store/records.ts';
import type { Account } from '../accounts/account.ts';

/** Errors that a client is told about at its redirect URI (RFC 6749 §4.1.2.1, RFC 8707 §2, OpenID Connect Core §3.1.2.6). */
export interface AuthorizationError {
  readonly error:
    | 'invalid_request'
    | 'unauthorized_client'
    | 'access_denied'
    | 'unsupported_response_type'
    | 'invalid_scope'
    | 'invalid_target'
    | 'login_required'
    | 'interaction_required'
    | 'consent_required'
    | 'request_not_supported'
    | 'request_uri_not_supported';
  readonly description: string;
}

type Target = Pick<AuthorizationParameters, 'redirectUri' | 'state'>;

/** Where the browser takes an error to the client; `iss` is in every answer (RFC 9207 §2). */
export function redirectError(account: Account, target: Target, { error, description }: AuthorizationError): string {
  return redirectWith(account, target, { error, error_description: description });
}

/** Where the browser takes a code to the client. */
export function redirectCode(account: Account, target: Target, code: string): string {
  return redirectWith(account, target, { code });
}

/** Adds to the registered URI as text: parsing and writing it again could change it. */
function redirectWith(account: Account, { redirectUri, state }: Target, answer: Record<string, string>): string {
  const query = new URLSearchParams({ ...answer, ...(state !== null && { state }), iss: account.baseUrl });
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${query}`;
}
