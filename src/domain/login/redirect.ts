import type { AuthorizationParameters } from '../../store/authorization-parameters.ts';
import type { Account } from '../accounts/account.ts';

/** Errors that a client is told about at its redirect URI (RFC 6749 §4.1.2.1, RFC 8707 §2, OpenID Connect Core §3.1.2.6, RFC 9101 §7). */
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
    | 'unmet_authentication_requirements'
    | 'invalid_request_object'
    | 'invalid_request_uri'
    | 'request_not_supported'
    | 'request_uri_not_supported';
  readonly description: string;
}

/** Where an answer goes, and how. */
export type AnswerTarget = Pick<AuthorizationParameters, 'redirectUri' | 'state' | 'responseMode'>;

/** An answer before `state` and `iss`. */
export type AnswerMembers = Readonly<Record<string, string>>;

/** How the browser takes an answer to the client. */
export type ClientAnswer =
  | { readonly by: 'redirect'; readonly location: string }
  /** A form that the browser sends to `action` (OAuth 2.0 Form Post Response Mode 1.0 §2). */
  | { readonly by: 'form_post'; readonly action: string; readonly members: Readonly<Record<string, string>> };

/** An error for the client. */
export function answerError(account: Account, target: AnswerTarget, answer: AuthorizationError): ClientAnswer {
  return answerWith(account, target, { error: answer.error, error_description: answer.description });
}

/** What a granted request gives, by the names of its members: a code, or tokens. `iss` is in every answer (RFC 9207 §2). */
export function answerWith(account: Account, target: AnswerTarget, answer: AnswerMembers): ClientAnswer {
  const { redirectUri, state, responseMode = 'query' } = target;
  const members = { ...answer, ...(state !== null && { state }), iss: account.baseUrl };
  if (responseMode === 'form_post') return { by: 'form_post', action: redirectUri, members };
  // Added to the registered URI as text: parsing and writing it again could change it. It has no fragment.
  const sign = responseMode === 'fragment' ? '#' : redirectUri.includes('?') ? '&' : '?';
  return { by: 'redirect', location: `${redirectUri}${sign}${new URLSearchParams(members)}` };
}
