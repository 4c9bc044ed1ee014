/** Live values of registrations, of their management, and of signing out. */

import { csrfToken } from '../../src/domain/login/authorization-request.ts';
import { unique } from '../store/samples.ts';
import { CookieJar } from '../support/sign-in.ts';
import { takeSession } from './live-legacy.ts';
import type { Pool } from './pool.ts';
import type { Plan } from './requests.ts';
import type { Taken } from './taken.ts';

/** Documented, and documented as refused. */
const refused = Object.fromEntries(
  [
    'software_statement',
    'sector_identifier_uri',
    'id_token_encrypted_response_alg',
    'id_token_encrypted_response_enc',
    'userinfo_encrypted_response_alg',
    'userinfo_encrypted_response_enc',
    'request_object_signing_alg',
    'authorization_encrypted_response_alg',
    'authorization_encrypted_response_enc',
    'introspection_encrypted_response_alg',
    'introspection_encrypted_response_enc',
    'request_object_encryption_alg',
    'request_object_encryption_enc',
  ].map((name) => [name, undefined]),
);

/** RFC 7591 §2: the two ways to name a client's keys exclude each other, and a client that signs needs one of them. */
export async function registration({ freedom, pick, operation }: Plan): Promise<Taken> {
  if (freedom === 'free') return { live: {} };
  const standard = operation.name.startsWith('oauth2 ');
  const keys = pick % 2 ? { jwks: undefined } : { jwks_uri: undefined };
  // The examples of these need keys, and an example of a key is no key.
  const signing = {
    token_endpoint_auth_method: undefined,
    token_endpoint_auth_signing_alg: undefined,
    require_signed_request_object: false,
    tls_client_certificate_bound_access_tokens: false,
    security_profile: undefined,
  };
  const repeatable = operation.name === 'oauth2 registerClient';
  return {
    live: {
      body: { ...keys, ...(standard && { ...refused, ...signing }) },
      ...(repeatable && { headers: { 'Idempotency-Key': keyOf(pick, freedom) } }),
    },
    loose: ['Idempotency-Key'],
    optional: ['Idempotency-Key', 'require_signed_request_object', 'tls_client_certificate_bound_access_tokens'],
  };
}

/** One that another request has had may be refused for that: requests with one thing wrong share none. */
function keyOf(pick: number, freedom: Plan['freedom']): string | undefined {
  if (pick % 3 === 0) return unique('key');
  return freedom === 'mixed' && pick % 3 === 1 ? `shared-by-several-${pick % 8}` : undefined;
}

/** A client with the token of its registration; one that is deleted is nobody else's. */
export async function ownClient(pool: Pool, plan: Plan): Promise<Taken> {
  const { name } = plan.operation;
  const { client_id, registration_access_token } = await pool.ownClient(name === 'oauth2 deleteClient');
  const { live, optional } = await registration(plan);
  const replaces = name === 'oauth2 replaceClient';
  return {
    live: {
      path: { client_id },
      headers: { authorization: `Bearer ${registration_access_token}` },
      ...(replaces && { body: { ...live.body, client_id, client_secret: undefined } }),
    },
    ...(optional && { optional }),
  };
}

/** A sign-out that nobody in particular asks for. */
export async function ending(place: 'query' | 'body'): Promise<Taken> {
  return { live: { [place]: { client_id: undefined, post_logout_redirect_uri: undefined } } };
}

/**
 * A sign-out in progress in a browser where nobody is signed in; its page also in one where somebody is, and is asked.
 */
export async function signingOut(pool: Pool, place: 'query' | 'body', { freedom, pick }: Plan): Promise<Taken> {
  // Where one thing is made wrong nothing else is.
  const asks = place === 'query' && freedom !== 'example' && pick % 2 === 0;
  const session = asks ? await takeSession(pool) : null;
  const jar = session?.jar ?? new CookieJar();
  const begun = await pool.app.send('GET', '/oauth2/logout', { headers: jar.header });
  jar.keep(begun);
  const request = new URLSearchParams(String(begun.headers['location']).split('?')[1]).get('request') ?? '';
  if (session) return { live: { query: { request }, headers: jar.header }, expires: true, settle: session.giveBack };
  if (place === 'query') return { live: { query: { request } }, expires: true };
  const [[name = '', secret = ''] = []] = jar.cookies;
  const body = { request, csrf: csrfToken(secret, request) };
  return { live: { body, headers: { cookie: `${name}=${secret}` } }, expires: true };
}
