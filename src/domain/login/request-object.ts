/** Authorization requests that a client signed (RFC 9101, OpenID Connect Core §6). */

import type { JWTPayload } from 'jose';
import type { Services } from '../../services.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { Account } from '../accounts/account.ts';
import { readClientJwt } from '../clients/client-jwt.ts';
import { fetchForClient } from '../clients/fetch-for-client.ts';
import { clientAlgorithms, followsFapi } from '../clients/security-profile.ts';
import { Failure } from '../failure.ts';
import { mostLevels } from '../nesting.ts';
import { currentNetworkSource } from '../network-source.ts';
import { type AuthorizationQuery, longestParameters, parameterNames } from './authorization-query.ts';
import type { AuthorizationError } from './redirect.ts';

const skewSeconds = 30;
const longestObjectSeconds = 3600;
/** Maximum size in bytes of a request object that is fetched from the client. */
const largestObject = 16_384;

type ObjectServices = Pick<Services, 'clock' | 'clientKeys' | 'egress' | 'limits'>;

/** What a client that must sign its requests is told about others (RFC 9101 §10.5), or null. */
export function unsignedFault({ extra }: Pick<ClientRecord, 'extra'>): AuthorizationError | null {
  if (!extra.require_signed_request_object) return null;
  return { error: 'invalid_request', description: 'the client must sign its requests (RFC 9101)' };
}

/**
 * Reads the request in a request object. Only its own parameters count (RFC 9101 §6.3), not those beside it. An error
 * says what is wrong with it. An object without a valid signature of the client counts towards `limit.authorize` of its
 * source, since anyone can submit signatures. Throws `rate_limited`.
 */
export async function readRequestObject(
  services: Pick<ObjectServices, 'clock' | 'clientKeys' | 'limits'>,
  account: Account,
  client: ClientRecord,
  text: string,
): Promise<AuthorizationQuery | AuthorizationError> {
  const { extra, clientId } = client;
  if (extra.jwks === undefined && extra.jwks_uri === undefined) {
    return { error: 'request_not_supported', description: 'the client has registered no keys' };
  }
  const taken = await services.limits.take(account, 'authorize', { source: currentNetworkSource() });
  const read = await readClientJwt(services, client, text, {
    types: ['jwt', 'oauth-authz-req+jwt'],
    algorithms: clientAlgorithms(account, client),
    algorithm: extra.request_object_signing_alg,
    claims: { currentDate: new Date(services.clock.now()), clockTolerance: skewSeconds },
  });
  if ('fault' in read)
    return invalidObject('the request object is not signed with a key of the client, or is not valid now');
  await taken?.giveBack();
  const fault =
    envelopeFault(account, clientId, read.payload) ??
    (followsFapi(account, client) ? lifetimeFault(read.payload, services.clock.now() / 1000) : null);
  return fault === null ? readMembers(clientId, read.payload) : invalidObject(fault);
}

/**
 * Fetches a request object from an address that the client registered, as the setting EGRESS permits (RFC 9101 §5.2.3,
 * OpenID Connect Core §6.2). It is not cached. Each fetch counts towards `limit.authorize` of its source, since it
 * needs no sign-in. Throws `rate_limited`, and `unavailable` when too many are under way.
 */
export async function fetchRequestObject(
  { egress, limits }: Pick<ObjectServices, 'egress' | 'limits'>,
  account: Account,
  { accountId, registeredBy, extra }: ClientRecord,
  url: string,
): Promise<string | AuthorizationError> {
  const invalid = (description: string) => ({ error: 'invalid_request_uri', description }) as const;
  if (!extra.request_uris?.includes(url)) return invalid('request_uri is not registered for this client');
  await limits.take(account, 'authorize', { source: currentNetworkSource() });
  const result = await fetchForClient(egress, {
    purpose: 'request object',
    accountId,
    registeredBy,
    url,
    accept: 'application/oauth-authz-req+jwt, application/jwt',
  });
  if (!result.ok && result.failure === 'busy') {
    throw new Failure('unavailable', { reason: 'too many request objects are fetched', retryAfterSeconds: 1 });
  }
  if (!result.ok && result.failure === 'disabled') {
    return { error: 'request_uri_not_supported', description: 'the service does not fetch request objects' };
  }
  if (!result.ok || result.response.status !== 200) return invalid('request_uri could not be fetched');
  const { body } = result.response;
  return body.length > largestObject
    ? invalid('the request object at request_uri is too large')
    : body.toString('utf8').trim();
}

/** What is wrong with the claims about the object itself (RFC 9101 §4, §10.8), or null. */
function envelopeFault({ baseUrl }: Account, clientId: string, payload: JWTPayload): string | null {
  const { iss, aud, sub } = payload;
  if (payload['client_id'] !== clientId)
    return 'client_id of the request object does not match client_id of the request';
  if (iss !== undefined && iss !== clientId) return 'iss of the request object must be the client';
  if (aud !== undefined && ![aud].flat().includes(baseUrl)) return 'aud of the request object must be this issuer';
  // It could be an assertion for client authentication.
  if (sub === clientId) return 'sub of the request object must not be the client';
  const nested = ['request', 'request_uri'].find((name) => payload[name] !== undefined);
  return nested === undefined ? null : `the request object must not contain ${nested}`;
}

/** FAPI 2.0 Message Signing §5.3.1: a request is for this issuer, and for an hour at most; what is wrong, or null. */
function lifetimeFault({ aud, exp, nbf }: JWTPayload, nowSeconds: number): string | null {
  if (aud === undefined) return 'aud of the request object is missing';
  if (nbf === undefined || exp === undefined) return 'nbf or exp of the request object is missing';
  if (nbf < nowSeconds - longestObjectSeconds - skewSeconds)
    return 'nbf of the request object is more than an hour ago';
  return exp > nbf + longestObjectSeconds ? 'exp of the request object is more than an hour after nbf' : null;
}

function readMembers(clientId: string, payload: JWTPayload): AuthorizationQuery | AuthorizationError {
  const query: { -readonly [Name in keyof AuthorizationQuery]: string } = { client_id: clientId };
  for (const name of parameterNames) {
    const value = payload[name];
    if (value === undefined || value === '') continue;
    if (!isWithin(value, mostLevels))
      return invalidObject(`${name} of the request object is nested deeper than ${mostLevels} levels`);
    const text = asText(name, value);
    if (text === null) return invalidObject(`${name} of the request object is not a string`);
    if (text.length > longestParameters[name] || text.includes('\0')) {
      return invalidObject(`${name} of the request object is too long or contains a character that is not allowed`);
    }
    query[name] = text;
  }
  return query;
}

/** `JSON.stringify` throws at some thousand levels. */
function isWithin(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((one) => isWithin(one, levels - 1));
}

/** JSON has numbers and objects where a query has text (RFC 9101 §4). */
function asText(name: string, value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (name === 'max_age' && Number.isInteger(value)) return String(value);
  // What may come several times in a query is a list here (RFC 8707 §2).
  if (name === 'resource' && Array.isArray(value) && value.every((one) => typeof one === 'string'))
    return value.join(' ');
  return name === 'claims' && typeof value === 'object' ? JSON.stringify(value) : null;
}

function invalidObject(description: string): AuthorizationError {
  return { error: 'invalid_request_object', description };
}
