/** Members of a client's metadata document, checked for types and sizes as a registration is by its contract. */

import { hasForbiddenCharacter } from '../text.ts';
import { mostRedirectUris } from './redirect-uris.ts';
import type { RegistrationRequest } from './registration-request.ts';

/**
 * What a document may say; other members are ignored. Those whose addresses would have to be fetched at once, and
 * statements of others, are among the ignored.
 */
const kinds = {
  client_name: 'text',
  application_type: 'text',
  redirect_uris: 'texts',
  post_logout_redirect_uris: 'texts',
  token_endpoint_auth_method: 'text',
  token_endpoint_auth_signing_alg: 'text',
  subject_type: 'text',
  grant_types: 'texts',
  response_types: 'texts',
  scope: 'text',
  id_token_signed_response_alg: 'text',
  client_uri: 'text',
  policy_uri: 'text',
  tos_uri: 'text',
  logo_uri: 'text',
  login_url: 'text',
  initiate_login_uri: 'text',
  contacts: 'texts',
  software_id: 'text',
  software_version: 'text',
  jwks: 'object',
  jwks_uri: 'text',
  default_max_age: 'seconds',
  require_auth_time: 'flag',
  backchannel_logout_uri: 'text',
  backchannel_logout_session_required: 'flag',
  dpop_bound_access_tokens: 'flag',
  require_pushed_authorization_requests: 'flag',
  require_signed_request_object: 'flag',
  request_object_signing_alg: 'text',
  request_uris: 'texts',
  userinfo_signed_response_alg: 'text',
  authorization_signed_response_alg: 'text',
  introspection_signed_response_alg: 'text',
  security_profile: 'text',
  id_token_encrypted_response_alg: 'text',
  id_token_encrypted_response_enc: 'text',
  userinfo_encrypted_response_alg: 'text',
  userinfo_encrypted_response_enc: 'text',
  authorization_encrypted_response_alg: 'text',
  authorization_encrypted_response_enc: 'text',
  introspection_encrypted_response_alg: 'text',
  introspection_encrypted_response_enc: 'text',
  request_object_encryption_alg: 'text',
  request_object_encryption_enc: 'text',
} as const satisfies { readonly [Name in keyof RegistrationRequest]?: Kind };

type Kind = 'text' | 'texts' | 'flag' | 'seconds' | 'object';
type MemberName = keyof typeof kinds;

/** In characters; the document itself is small. */
const longestText = 2048;
const longestName = 255;
/** OpenID Connect Core §2: seconds, as many as a registration may say. */
const mostSeconds = 2 ** 31 - 1;

const isText = (value: unknown) => typeof value === 'string' && value.length <= longestText && isPlain(value);

/** Whether every text in it can be stored. */
function isPlain(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !hasForbiddenCharacter(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).flat().every(isPlain);
}

const checks: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  text: isText,
  texts: (value) => Array.isArray(value) && value.length <= mostRedirectUris && value.every(isText),
  flag: (value) => typeof value === 'boolean',
  seconds: (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= mostSeconds,
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value) && isPlain(value),
};

const words: Readonly<Record<Kind, string>> = {
  text: `a string of at most ${longestText} characters, none of them a control character`,
  texts: `a list of at most ${mostRedirectUris} strings without control characters`,
  flag: 'true or false',
  seconds: 'a whole number of seconds',
  object: 'an object without control characters',
};

/** A secret that anyone can read proves nothing (§4.1 of the draft). */
const secrets = ['client_secret', 'client_secret_expires_at'];

/** The members that the service reads, or what is wrong with one of them. Members that are null count as absent. */
export function readMembers(
  document: Readonly<Record<string, unknown>>,
): { readonly request: RegistrationRequest } | { readonly fault: string } {
  const secret = secrets.find((name) => name in document);
  if (secret !== undefined) return { fault: `has ${secret}, which nobody could keep secret there` };
  const request: Record<string, unknown> = {};
  for (const name of Object.keys(kinds) as MemberName[]) {
    const value = document[name];
    if (value === undefined || value === null) continue;
    const kind = kinds[name];
    if (!checks[kind](value)) return { fault: `has a ${name} that is not ${words[kind]}` };
    request[name] = value;
  }
  const { client_name: name } = request;
  if (typeof name === 'string' && name.length > longestName) {
    return { fault: `has a client_name of more than ${longestName} characters` };
  }
  return { request };
}
