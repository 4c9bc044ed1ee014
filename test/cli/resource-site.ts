/** A resource server and its authorization server on loopback, whose answers can be replaced one by one. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach } from 'node:test';
import { UnsecuredJWT } from 'jose';
import { type Examination, examineResource } from '../../src/cli/resource-doctor/index.ts';
import type { StepResult } from '../../src/cli/resource-doctor/step.ts';

interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

type Route = (request: IncomingMessage, url: URL, body: string) => Reply | Promise<Reply>;

export interface Site {
  readonly origin: string;
  readonly server: Server;
  /** By method and path. */
  readonly routes: Map<string, Route>;
}

export async function openSite(): Promise<Site> {
  const routes = new Map<string, Route>();
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const route = routes.get(`${request.method} ${url.pathname}`);
    const { status, headers = {}, body: sent } = route ? await route(request, url, body) : { status: 404 };
    const isText = typeof sent === 'string';
    response.writeHead(status, { 'content-type': isText ? 'text/html' : 'application/json', ...headers });
    response.end(isText ? sent : JSON.stringify(sent ?? {}));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { server, routes, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** What the resource server says in these tests, and what the authorization server of its metadata does. */
function plantWhole({ routes, origin }: Site) {
  const resource = `${origin}/mcp`;
  const metadata = {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  };
  const token = new UnsecuredJWT({ aud: resource }).encode().replace(/\.$/, '.signed');
  const challenge = `Bearer realm="a", resource_metadata="${origin}/resource", scope="tools:call"`;
  const deleted: string[] = [];
  const plant = (place: string, reply: Reply | Route) =>
    routes.set(place, typeof reply === 'function' ? reply : () => reply);
  plant('POST /mcp', ({ headers }) =>
    headers.authorization === `Bearer ${token}`
      ? { status: 200 }
      : { status: 401, headers: { 'www-authenticate': challenge } },
  );
  plant('GET /resource', { status: 200, body: { resource, authorization_servers: [origin] } });
  plant('GET /.well-known/oauth-authorization-server', { status: 200, body: metadata });
  plant('POST /register', {
    status: 201,
    body: { client_id: 'c-1', registration_client_uri: `${origin}/client`, registration_access_token: 'rat' },
  });
  plant('DELETE /client', ({ headers }) => {
    deleted.push(headers.authorization ?? '');
    return { status: 204 };
  });
  plant('GET /authorize', (_request, { searchParams: asked }) => {
    assert.deepEqual([asked.get('resource'), asked.get('scope')], [resource, 'tools:call']);
    if (!asked.has('signed_in')) return { status: 200, body: '<h1>Sign in</h1>' };
    const answer = new URLSearchParams({ code: 'code-1', state: asked.get('state') ?? '', iss: origin });
    return { status: 303, headers: { location: `${asked.get('redirect_uri')}?${answer}` } };
  });
  plant('POST /token', (_request, _url, body) => {
    const form = new URLSearchParams(body);
    assert.deepEqual([form.get('code'), form.get('client_id'), form.get('resource')], ['code-1', 'c-1', resource]);
    return { status: 200, body: { access_token: token, token_type: 'Bearer' } };
  });
  return { resource, metadata, token, challenge, deleted, plant };
}

/** A person who signs in: the browser follows what the authorization endpoint answers. */
function signIn(address: string): void {
  void fetch(`${address}&signed_in=1`);
}

export const statusesOf = (steps: readonly StepResult[]) => steps.map(({ status }) => status);

/** Opens sites with everything in place, and closes them after each test. */
export function plantedSites() {
  const sites: Site[] = [];
  afterEach(() => {
    for (const { server } of sites.splice(0)) server.close().closeAllConnections();
  });
  return async () => {
    const site = await openSite();
    sites.push(site);
    return { site, ...plantWhole(site) };
  };
}

export type Planted = Awaited<ReturnType<ReturnType<typeof plantedSites>>>;

/** With a person who signs in, unless said. */
export function examine(url: string, more: Partial<Examination> = {}): Promise<readonly StepResult[]> {
  return examineResource({ url, clientId: undefined, scope: undefined, signIn, ...more });
}
