/**
 * API authorization servers for tests, and the gateway before such an API: it knows the published keys and nothing
 * else.
 */

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createLocalJWKSet, type JWTPayload, jwtVerify } from 'jose';
import { setAccount } from '../../src/domain/accounts/accounts.ts';
import { addClaim, type ClaimValues } from '../../src/domain/authorization-servers/claims.ts';
import { linkClient } from '../../src/domain/authorization-servers/links.ts';
import { addScope } from '../../src/domain/authorization-servers/scopes.ts';
import { createServer, type ServerValues } from '../../src/domain/authorization-servers/servers.ts';
import { createRole } from '../../src/domain/roles/write-role.ts';
import type { TestApp } from './app.ts';
import type { RegisteredClient } from './sign-in.ts';

export interface Api {
  readonly id: number;
  readonly resource: string;
  /** Ids of its scopes by value. */
  readonly scopes: Readonly<Record<string, number>>;
}

/** A server of its own resource identifier, with these scopes and claims. */
export async function makeApi(
  { services, account }: TestApp,
  scopes: readonly string[] = ['orders:read', 'orders:write'],
  given: ServerValues & { readonly claims?: readonly ClaimValues[] } = {},
): Promise<Api> {
  const resourceIdentifier = `https://api.example.com/${randomBytes(6).toString('hex')}`;
  const server = await createServer(services, account, { name: 'Orders', resourceIdentifier, ...given });
  const ids: Record<string, number> = {};
  for (const value of scopes) ids[value] = (await addScope(services, account, server.id, { value })).id;
  for (const claim of given.claims ?? []) await addClaim(services, account, server.id, claim);
  return { id: server.id, resource: server.resourceIdentifier, scopes: ids };
}

/** An API that any client may ask for, with scopes that are open, and the scope `admin`, which is not. */
export async function makeOpenApi(app: TestApp, open: readonly string[], given: ServerValues = {}): Promise<Api> {
  const resourceIdentifier = `https://mcp.example.com/${randomBytes(6).toString('hex')}`;
  const api = await makeApi(app, ['admin'], { name: 'Tools', resourceIdentifier, clientAccess: 'consent', ...given });
  const scopes: Record<string, number> = { ...api.scopes };
  for (const value of open) {
    scopes[value] = (await addScope(app.services, app.account, api.id, { value, open: true })).id;
  }
  return { ...api, scopes };
}

/** Lets users with the role `Everyone` use whatever client registers, also in the open. */
export async function admitEveryone({ services, account }: TestApp): Promise<void> {
  await createRole(services, account, { name: 'Everyone' });
  const roles = { registration_roles: 'Everyone', open_registration_roles: 'Everyone' };
  await setAccount(services, account.subdomain, roles);
}

/** Links a client with these scopes of the API; with all unless said. */
export async function linkApi(
  { services, account }: TestApp,
  client: Pick<RegisteredClient, 'app_id'>,
  api: Api,
  scopes: readonly string[] = Object.keys(api.scopes),
): Promise<void> {
  const ids = scopes.map((value) => api.scopes[value] ?? 0);
  await linkClient(services, account, api.id, client.app_id, ids);
}

/** What a gateway before the API finds in a token; rejects as jose does when it would not let the token pass. */
export async function atGateway(app: TestApp, token: string, resource: string): Promise<JWTPayload> {
  const { body } = await app.send('GET', '/oauth2/jwks');
  const { payload, protectedHeader } = await jwtVerify(token, createLocalJWKSet(body), {
    algorithms: ['RS256'],
    typ: 'at+jwt',
    issuer: app.account.baseUrl,
    audience: resource,
    requiredClaims: ['iss', 'exp', 'aud', 'sub', 'client_id', 'iat', 'jti'],
    currentDate: new Date(app.services.clock.now()),
  });
  assert.equal(protectedHeader.alg, 'RS256');
  return payload;
}

/** Asserts that the gateway refuses the token, with jose's code. */
export async function assertRefused(app: TestApp, token: string, resource: string, code: RegExp): Promise<void> {
  await assert.rejects(atGateway(app, token, resource), ({ code: found }: { code?: string }) => code.test(found ?? ''));
}
