/** Client metadata (RFC 7591 §2, the document's §2.1): what a registration may ask for and what is kept of it. */

import type {
  ClientAuthMethod,
  ClientKey,
  ClientRecord,
  ExtraMetadata,
  GrantType,
  ResponseType,
  SigningAlgorithm,
} from '../../store/records.ts';
import { Failure } from '../failure.ts';
import { knownScopes } from '../tokens/scopes.ts';
import { longestUri, mostRedirectUris, redirectUriFault } from './redirect-uris.ts';

/** A registration as sent, validated for types and sizes only. */
export interface RegistrationRequest {
  readonly client_name?: string;
  readonly application_type?: string;
  readonly redirect_uris?: readonly string[];
  readonly token_endpoint_auth_method?: string;
  readonly subject_type?: string;
  readonly grant_types?: readonly string[];
  readonly response_types?: readonly string[];
  readonly post_logout_redirect_uris?: readonly string[];
  readonly id_token_signed_response_alg?: string;
  readonly scope?: string;
  readonly logo_uri?: string;
  readonly login_url?: string;
  readonly initiate_login_uri?: string;
  readonly client_uri?: string;
  readonly policy_uri?: string;
  readonly tos_uri?: string;
  readonly jwks_uri?: string;
  readonly jwks?: Readonly<Record<string, unknown>>;
  readonly contacts?: readonly string[];
  readonly software_id?: string;
}

/** In what the two doors differ; `docs/two-doors.md` gives the reasons. */
export interface RegistrationRules {
  readonly nameRequired: boolean;
  /** Redirect URIs are asked for even when no grant type uses them. */
  readonly redirectUrisRequired: boolean;
  readonly defaultGrantTypes: readonly GrantType[];
  readonly defaultResponseTypes: readonly ResponseType[];
}

export type ClientMetadata = Pick<
  ClientRecord,
  | 'name'
  | 'applicationType'
  | 'redirectUris'
  | 'postLogoutRedirectUris'
  | 'grantTypes'
  | 'responseTypes'
  | 'authMethod'
  | 'authMethodNamed'
  | 'subjectType'
  | 'idTokenAlg'
  | 'scope'
  | 'extra'
>;

export const knownGrantTypes: readonly GrantType[] = [
  'authorization_code',
  'implicit',
  'password',
  'refresh_token',
  'client_credentials',
];
export const knownResponseTypes: readonly ResponseType[] = ['code', 'id_token token', 'id_token'];
export const authMethods = ['client_secret_basic', 'client_secret_post', 'none'] as const satisfies ClientAuthMethod[];
export const signingAlgorithms = ['RS256', 'ES256'] as const satisfies SigningAlgorithm[];

/** Applies defaults and rules. Throws `redirect_uri_invalid` or `client_metadata_invalid`, naming the member. */
export function readMetadata(request: RegistrationRequest, rules: RegistrationRules): ClientMetadata {
  const applicationType = choose('application_type', request.application_type, ['web', 'native'] as const, 'web');
  const grantTypes = keepKnown('grant_types', request.grant_types, knownGrantTypes, rules.defaultGrantTypes);
  const usesRedirect = grantTypes.includes('authorization_code') || grantTypes.includes('implicit');
  return {
    name: readName(request.client_name, rules.nameRequired),
    applicationType,
    redirectUris: readRedirectUris(request.redirect_uris, applicationType, rules.redirectUrisRequired || usesRedirect),
    postLogoutRedirectUris: readUriList('post_logout_redirect_uris', request.post_logout_redirect_uris, applicationType),
    grantTypes,
    responseTypes: keepKnown(
      'response_types',
      request.response_types,
      knownResponseTypes,
      usesRedirect ? rules.defaultResponseTypes : [],
    ),
    authMethod: choose('token_endpoint_auth_method', request.token_endpoint_auth_method, authMethods, 'client_secret_basic'),
    authMethodNamed: request.token_endpoint_auth_method !== undefined,
    subjectType: choose('subject_type', request.subject_type, ['public'] as const, 'public'),
    idTokenAlg: choose('id_token_signed_response_alg', request.id_token_signed_response_alg, signingAlgorithms, 'RS256'),
    scope: readScope(request.scope),
    extra: readExtra(request),
  };
}

function invalid(name: string, message: string): Failure {
  return new Failure('client_metadata_invalid', { name, message: `${name} ${message}` });
}

function choose<const Value extends string>(
  name: string,
  asked: string | undefined,
  allowed: readonly Value[],
  fallback: Value,
): Value {
  if (asked === undefined) return fallback;
  const found = allowed.find((value) => value === asked);
  if (found === undefined) throw invalid(name, `must be ${allowed.join(' or ')}`);
  return found;
}

/** RFC 7591 §3.2.1: what the server does not know it may leave out, as long as something is left. */
function keepKnown<Value extends string>(
  name: string,
  asked: readonly string[] | undefined,
  known: readonly Value[],
  fallback: readonly Value[],
): readonly Value[] {
  if (asked === undefined) return fallback;
  const kept = known.filter((value) => asked.includes(value));
  if (kept.length === 0) throw invalid(name, `holds none of ${known.join(', ')}`);
  return kept;
}

function readName(name: string | undefined, required: boolean): string {
  if (name === undefined && !required) return '';
  if (name === undefined || name.trim() === '') throw invalid('client_name', 'is mandatory: the name of the application');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a name is one line of text
  if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(name)) throw invalid('client_name', 'holds a control character');
  return name;
}

function readRedirectUris(
  uris: readonly string[] | undefined,
  applicationType: 'web' | 'native',
  required: boolean,
): readonly string[] {
  if (uris === undefined || uris.length === 0) {
    if (uris === undefined && !required) return [];
    throw new Failure('redirect_uri_invalid', { name: 'redirect_uris', message: 'redirect_uris is a mandatory property' });
  }
  const fault = uriListFault('redirect_uris', uris, applicationType);
  if (fault) throw new Failure('redirect_uri_invalid', { name: 'redirect_uris', message: fault });
  return uris;
}

function readUriList(name: string, uris: readonly string[] = [], applicationType: 'web' | 'native'): readonly string[] {
  const fault = uriListFault(name, uris, applicationType);
  if (fault) throw new Failure('client_metadata_invalid', { name, message: fault });
  return uris;
}

function uriListFault(name: string, uris: readonly string[], applicationType: 'web' | 'native'): string | null {
  if (uris.length > mostRedirectUris) return `${name} holds more than ${mostRedirectUris} URIs`;
  for (const [index, uri] of uris.entries()) {
    const fault = uris.indexOf(uri) < index ? 'is given twice' : redirectUriFault(uri, applicationType);
    if (fault) return `${name}[${index}] ${fault}`;
  }
  return null;
}

function readScope(scope: string | undefined): readonly string[] | null {
  if (scope === undefined) return null;
  return keepKnown('scope', scope.split(' '), knownScopes, knownScopes);
}

/** Members that are kept as sent and answered again. An empty text means that the member is not set. */
function readExtra(request: RegistrationRequest): ExtraMetadata {
  if (request.jwks !== undefined && request.jwks_uri) throw invalid('jwks', 'and jwks_uri exclude each other (RFC 7591 §2)');
  return {
    ...readPageUris(request),
    ...(request.jwks !== undefined && { jwks: { keys: readKeys(request.jwks) } }),
    ...(request.contacts !== undefined && { contacts: request.contacts }),
    ...(request.software_id && { software_id: request.software_id }),
  };
}

const pageUris = ['logo_uri', 'login_url', 'client_uri', 'policy_uri', 'tos_uri', 'jwks_uri', 'initiate_login_uri'] as const;

function readPageUris(request: RegistrationRequest): Pick<ExtraMetadata, (typeof pageUris)[number]> {
  const uris: { -readonly [Name in (typeof pageUris)[number]]?: string } = {};
  for (const name of pageUris) {
    const uri = request[name];
    if (uri === undefined || uri === '') continue;
    const fault = pageUriFault(uri, name === 'initiate_login_uri');
    if (fault) throw invalid(name, fault);
    uris[name] = uri;
  }
  return uris;
}

/** Addresses that are shown or opened in a browser, never fetched here: web addresses only. */
function pageUriFault(uri: string, httpsOnly: boolean): string | null {
  const parsed = uri.length <= longestUri && /^[\x21-\x7e]+$/.test(uri) ? URL.parse(uri) : null;
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.hostname === '') return 'must be an http or https URI';
  if (parsed.username !== '' || parsed.password !== '') return 'has a user part';
  // OpenID Connect Dynamic Client Registration 1.0 §2.
  if (httpsOnly && parsed.protocol !== 'https:') return 'must use the https scheme';
  return null;
}

const keyMembers = ['kid', 'use', 'alg', 'n', 'e', 'crv', 'x', 'y'] as const;

/** Public keys only: a private or symmetric member is a secret sent to the wrong place, and is refused. */
function readKeys(jwks: Readonly<Record<string, unknown>>): ClientKey[] {
  const { keys } = jwks;
  if (!Array.isArray(keys) || keys.length === 0) throw invalid('jwks', 'must be a JWK Set with at least one key');
  return keys.map((key: Readonly<Record<string, unknown>>) => {
    if (typeof key['kty'] !== 'string' || 'd' in key || 'k' in key) throw invalid('jwks', 'must hold public keys only');
    const kept: { kty: string } & { -readonly [Name in (typeof keyMembers)[number]]?: string } = { kty: key['kty'] };
    for (const name of keyMembers) {
      const value = key[name];
      if (value === undefined) continue;
      if (typeof value !== 'string') throw invalid('jwks', `has a key whose ${name} is no text`);
      kept[name] = value;
    }
    return kept;
  });
}
