import type { Services } from '../../services.ts';
import type { AuthorizationParameters } from '../../store/authorization-parameters.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { Account } from '../accounts/account.ts';
import { signingAlgorithmFor } from '../clients/security-profile.ts';

/**
 * Errors that are sent to the client's redirect URI (RFC 6749 §4.1.2.1, RFC 8707 §2, OpenID Connect Core §3.1.2.6, RFC
 * 9101 §7).
 */
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

/** Where a response goes, and how. */
export type AnswerTarget = Pick<AuthorizationParameters, 'redirectUri' | 'state' | 'responseMode' | 'signedResponse'>;

/** The members of a response, without `state` and `iss`. */
export type AnswerMembers = Readonly<Record<string, string>>;

/** How the browser delivers a response to the client: at once, or when the user says so on a page. */
export type ClientAnswer = { readonly byHand?: true } & (
  | { readonly by: 'redirect'; readonly location: string }
  /** A form that the browser sends to `action` (OAuth 2.0 Form Post Response Mode 1.0 §2). */
  | { readonly by: 'form_post'; readonly action: string; readonly members: Readonly<Record<string, string>> }
);

type AnswerServices = Pick<Services, 'signer' | 'clock'>;

/** JARM §2.1 recommends at most ten minutes; the browser is on its way already. */
const signedSeconds = 120;

/**
 * The answer to a request that nobody has seen yet. Whoever registers a client in the open could otherwise make a link to
 * this service lead to any page, or into any program of the device (RFC 9700 §4.11.2).
 */
export function unseen({ registeredBy }: Pick<ClientRecord, 'registeredBy'>, answer: ClientAnswer): ClientAnswer {
  return registeredBy === 'open' ? { ...answer, byHand: true } : answer;
}

/** An error response for the client. */
export function answerError(
  services: AnswerServices,
  account: Account,
  client: ClientRecord,
  target: AnswerTarget,
  answer: AuthorizationError,
): Promise<ClientAnswer> {
  const members = { error: answer.error, error_description: answer.description };
  return answerWith(services, account, client, target, members);
}

/** The response to a granted request, by member: a code, or tokens. Every response has `iss` (RFC 9207 §2). */
export async function answerWith(
  services: AnswerServices,
  account: Account,
  client: ClientRecord,
  target: AnswerTarget,
  answer: AnswerMembers,
): Promise<ClientAnswer> {
  const { redirectUri, state, responseMode = 'query', signedResponse } = target;
  const plain = { ...answer, ...(state !== null && { state }), iss: account.baseUrl };
  const members = signedResponse ? { response: await signAnswer(services, account, client, plain) } : plain;
  if (responseMode === 'form_post') return { by: 'form_post', action: redirectUri, members };
  // Appended to the registered URI as text: parsing and serializing could change it. It has no fragment.
  const sign = responseMode === 'fragment' ? '#' : redirectUri.includes('?') ? '&' : '?';
  return { by: 'redirect', location: `${redirectUri}${sign}${new URLSearchParams(members)}` };
}

/** JARM §2.1. Without `sub` and `auth_time` it cannot be taken for an id token. */
function signAnswer(
  { signer, clock }: AnswerServices,
  account: Account,
  client: ClientRecord,
  members: AnswerMembers,
): Promise<string> {
  const alg = signingAlgorithmFor(account, client, client.extra.authorization_signed_response_alg ?? 'RS256');
  const exp = Math.floor(clock.now() / 1000) + signedSeconds;
  return signer.sign(account, alg, 'JWT', { ...members, aud: client.clientId, exp });
}
