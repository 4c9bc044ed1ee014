/** The optional members of client metadata (RFC 7591 §2) that are stored as sent. */

import type { ClientKey, ExtraMetadata, RegisteredKey } from '../../store/client-metadata.ts';
import { Failure } from '../failure.ts';
import { certificateIn } from './key-certificate.ts';
import { logoSource } from './logo.ts';
import { hasCommonSize, longestMembers } from './public-keys.ts';
import { longestUri } from './redirect-uris.ts';
import type { RegistrationRequest } from './registration-request.ts';

/** An error that names the member. */
export function invalid(name: string, message: string): Failure {
  return new Failure('client_metadata_invalid', { name, message: `${name} ${message}` });
}

/** Members that are stored as sent and returned unchanged. An empty text means that the member is not set. */
export function readExtra(request: RegistrationRequest): ExtraMetadata {
  if (request.jwks !== undefined && request.jwks_uri)
    throw invalid('jwks', 'and jwks_uri are mutually exclusive (RFC 7591, section 2)');
  return {
    ...readPageUris(request),
    ...(request.jwks !== undefined && { jwks: { keys: readKeys(request.jwks) } }),
    ...(request.contacts !== undefined && { contacts: request.contacts }),
    ...(request.software_id && { software_id: request.software_id }),
  };
}

const pageUris = [
  'logo_uri',
  'login_url',
  'client_uri',
  'policy_uri',
  'tos_uri',
  'jwks_uri',
  'initiate_login_uri',
] as const;

/** OpenID Connect Dynamic Client Registration 1.0 §2. */
const httpsOnly: ReadonlySet<string> = new Set(['initiate_login_uri', 'jwks_uri']);

function readPageUris(request: RegistrationRequest): Pick<ExtraMetadata, (typeof pageUris)[number]> {
  const uris: { -readonly [Name in (typeof pageUris)[number]]?: string } = {};
  for (const name of pageUris) {
    const uri = request[name];
    if (uri === undefined || uri === '') continue;
    const fault = pageUriFault(uri, httpsOnly.has(name)) ?? (name === 'logo_uri' ? logoFault(uri) : null);
    if (fault) throw invalid(name, fault);
    uris[name] = uri;
  }
  return uris;
}

/** The logo is the only one of these addresses that becomes part of a page and its policy. */
function logoFault(uri: string): string | null {
  return logoSource(uri) === null ? 'must have a host of letters, digits, hyphens and dots, or an IPv4 address' : null;
}

/** What is wrong with an address that is not a redirect URI (only web addresses are allowed), or null. */
export function pageUriFault(uri: string, mustBeHttps: boolean): string | null {
  const parsed = uri.length <= longestUri && /^[\x21-\x7e]+$/.test(uri) ? URL.parse(uri) : null;
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.hostname === '') return 'must be an http or https URI';
  if (parsed.username !== '' || parsed.password !== '') return 'has a user part';
  if (mustBeHttps && parsed.protocol !== 'https:') return 'must use the https scheme';
  return null;
}

const keyMembers = Object.entries(longestMembers) as [keyof ClientKey, number][];

/** Public keys only: a private or symmetric key is a secret sent to the wrong place, and is refused. */
function readKeys(jwks: Readonly<Record<string, unknown>>): RegisteredKey[] {
  const { keys } = jwks;
  if (!Array.isArray(keys) || keys.length === 0) throw invalid('jwks', 'must be a JWK Set with at least one key');
  return keys.map(readKey);
}

function readKey(given: unknown): RegisteredKey {
  // A registration is validated before; a metadata document is not.
  if (typeof given !== 'object' || given === null) throw invalid('jwks', 'has a key that is not an object');
  const key = given as Readonly<Record<string, unknown>>;
  if (typeof key['kty'] !== 'string' || 'd' in key || 'k' in key)
    throw invalid('jwks', 'must contain public keys only');
  const kept: { -readonly [Name in keyof ClientKey]: ClientKey[Name] } = { kty: key['kty'] };
  for (const [name, longest] of keyMembers) {
    const value = key[name];
    if (value === undefined) continue;
    if (typeof value !== 'string') throw invalid('jwks', `has a key whose ${name} is not a string`);
    if (value.length > longest) throw invalid('jwks', `has a key whose ${name} is longer than ${longest} characters`);
    kept[name] = value;
  }
  if (!hasCommonSize(kept)) {
    throw invalid('jwks', 'has an RSA key that is not of 2048 to 4096 bits with an exponent of at most 4 bytes');
  }
  if (key['x5c'] === undefined) return kept;
  const certificate = certificateIn(key['x5c'], kept);
  // Only clients with certificates need it; for all others it is one more member that nobody reads.
  return certificate === null ? kept : { ...kept, x5c: [certificate] };
}
