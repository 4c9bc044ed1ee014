/**
 * An authorization server whose keys the test has, so that it can make any token; it answers what the examples read.
 */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

export interface Issuer {
  readonly issuer: string;
  /** What an example is told. */
  readonly metadataUrl: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** What introspection answers for a token. */
  readonly active: Map<string, Readonly<Record<string, unknown>>>;
  /** How often the keys were asked for. */
  keysAsked: number;
  /** Of the client that asked at introspection last. */
  askedWith: string | undefined;
  /** A token of these claims; without changes one that is good for the resource, with `orders:read`. */
  token(claims?: JWTPayload, header?: Readonly<Record<string, unknown>>, foreign?: boolean): Promise<string>;
  close(): void;
}

export async function openIssuer(resource: string): Promise<Issuer> {
  const [own, other, next] = await Promise.all(['RS256', 'RS256', 'RS256'].map((alg) => generateKeyPair(alg)));
  assert.ok(own && other && next);
  const published = async ({ publicKey }: typeof own, kid: string) => ({
    ...(await exportJWK(publicKey)),
    ...{ kid, alg: 'RS256', use: 'sig' },
  });
  // As while keys are rotated.
  const keys = [await published(own, 'k1'), await published(next, 'k2')];
  const server = createServer(async (request, response) => {
    const answer = request.url ? answers[request.url] : undefined;
    response.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify((await answer?.(request)) ?? {}));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const metadata = {
    resource,
    authorization_servers: [issuer],
    scopes_supported: ['orders:read', 'orders:write'],
    bearer_methods_supported: ['header'],
    resource_name: 'Orders',
    dpop_signing_alg_values_supported: ['ES256', 'PS256'],
    dpop_bound_access_tokens_required: false,
  };
  const active: Issuer['active'] = new Map();
  const opened: Issuer = {
    issuer,
    metadataUrl: `${issuer}/metadata`,
    metadata,
    active,
    keysAsked: 0,
    askedWith: undefined,
    token: (claims = {}, header = {}, foreign = false) => {
      const now = Math.floor(Date.now() / 1000);
      const usual = { iss: issuer, aud: resource, sub: '7', client_id: 'c', scope: 'openid orders:read', jti: 'j' };
      return new SignJWT({ ...usual, iat: now, exp: now + 300, ...claims })
        .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid: 'k1', ...header })
        .sign(foreign ? other.privateKey : own.privateKey);
    },
    close: () => server.close().closeAllConnections(),
  };
  const served = {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    introspection_endpoint: `${issuer}/introspect`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
  };
  const answers: Readonly<Record<string, (request: IncomingMessage) => unknown>> = {
    '/metadata': () => metadata,
    '/.well-known/oauth-authorization-server': () => served,
    '/.well-known/openid-configuration': () => served,
    '/jwks': () => {
      opened.keysAsked += 1;
      return { keys };
    },
    '/introspect': async (request) => {
      opened.askedWith = request.headers.authorization;
      const token = new URLSearchParams(await text(request)).get('token') ?? '';
      return active.get(token) ?? { active: false };
    },
  };
  return opened;
}
