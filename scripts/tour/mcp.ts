import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { randomName } from './access.ts';
import { expectJson } from './http.ts';
import { signInFor } from './sign-in.ts';
import { expect } from './surprise.ts';
import { bearer, type Step, type TokenSet, type Tour } from './tour.ts';

const scope = 'notes:read';
/** Where the program listens for its user's browser; the port is free to choose (RFC 8252 §7.3). */
const redirectUri = 'http://127.0.0.1:33418/callback';
const server = fileURLToPath(new URL('../../examples/mcp-server/server.js', import.meta.url));
const mostTries = 300;

export const startMcpServer: Step = {
  title: 'An MCP server behind the service',
  about:
    'The operator describes the server as an API that any client may ask for whose user agrees. The example of an MCP ' +
    'server starts behind it. A request without a token is told where to read on.',
  run: async (tour) => {
    const { send, recall, learn } = tour;
    const headers = bearer(recall('credentialToken'));
    const port = await freePort();
    const resource = `http://localhost:${port}/mcp`;
    const configuration = { resource_identifier: resource, client_access: 'consent', resource_metadata: true };
    const named = { name: `Notes ${randomName()}`, configuration };
    const made = await send('POST', '/api/2/api_authorizations', { headers, json: named });
    const { id } = expectJson<{ id: number }>(made, 200);
    learn('mcp', { id, resource });
    const json = { value: scope, description: 'See your notes', open: true };
    expectJson(await send('POST', `/api/2/api_authorizations/${id}/scopes`, { headers, json }), 200);
    await start(`${tour.url}/oauth2/resource_metadata/${id}`, port);
    const refused = await send('POST', resource, call('tools/list'));
    expect(refused.status === 401, `the answer should have been 401, and it was ${refused.status}`);
    const challenge = refused.headers.get('www-authenticate') ?? '';
    const address = /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? '';
    expect(URL.canParse(address), 'the challenge should have named the metadata of the server');
    const told = expectJson<{ resource: string; authorization_servers: string[] }>(await send('GET', address), 200);
    expect(told.resource === resource, 'this is the metadata of another server');
    expect(told.authorization_servers[0] === tour.demo.issuer, 'the server should have named the issuer');
    const issuer = await send('GET', '/.well-known/oauth-authorization-server');
    expect(expectJson<{ issuer: string }>(issuer, 200).issuer === tour.demo.issuer, 'the issuer has another name');
  },
};

export const registerProgram: Step = {
  title: 'A program registers itself',
  about:
    'It has no secret, and comes back to a port of its own machine. Where the account lets anybody register, it needs no ' +
    'token; the demo account does so after `npm run mcp`. Who may use it is assigned here, or by the account for all.',
  run: async ({ send, recall, learn }) => {
    const headers = bearer(recall('credentialToken'));
    const json = {
      client_name: 'Notes on the command line',
      application_type: 'native',
      redirect_uris: ['http://127.0.0.1/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      scope,
    };
    const openly = await send('POST', '/oauth2/register', { json });
    const answer = openly.status === 401 ? await send('POST', '/oauth2/register', { headers, json }) : openly;
    const program = expectJson<{ client_id: string; app_id: number }>(answer, 201);
    const users = await send('POST', `/api/2/apps/${program.app_id}/users`, { headers, json: [recall('demoUser').id] });
    expectJson(users, 200);
    learn('program', program);
  },
};

export const signInForMcp: Step = {
  title: 'The user allows it',
  about: 'The program names the server (RFC 8707) and the scope of the challenge. The page says whose program it is.',
  run: (tour) => {
    const { client_id } = tour.recall('program');
    const { resource } = tour.recall('mcp');
    return signInFor(tour, { scope, resource }, { client_id, redirect_uri: redirectUri });
  },
};

export const callTool: Step = {
  title: 'Call a tool',
  about: 'The code gives an access token for this server alone, and the server answers.',
  run: async (tour) => {
    const { send, recall } = tour;
    const { resource } = recall('mcp');
    const { value: code, verifier: code_verifier } = recall('code');
    const { client_id } = recall('program');
    const form = {
      grant_type: 'authorization_code',
      code,
      code_verifier,
      redirect_uri: redirectUri,
      client_id,
      resource,
    };
    const { access_token: token } = expectJson<TokenSet>(await send('POST', '/oauth2/token', { form }), 200);
    const listed = await send('POST', resource, call('tools/call', { name: 'list_notes', arguments: {} }, token));
    const { result } = expectJson<{ result?: { content: { text: string }[] } }>(listed, 200);
    expect(result?.content[0]?.text === '[]', 'the tool should have listed no notes');
    await expectNoAccess(tour, token);
  },
};

/** The token is for the MCP server: the service's own API for users refuses it. */
async function expectNoAccess({ send }: Tour, token: string): Promise<void> {
  const { status } = await send('GET', '/oauth2/userinfo', { headers: bearer(token) });
  expect(status === 401 || status === 403, `userinfo should have refused the token, and it answered ${status}`);
}

/** A message of the protocol. */
function call(method: string, params: object = {}, token?: string) {
  return {
    headers: {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
      ...(token !== undefined && bearer(token)),
    },
    json: { jsonrpc: '2.0', id: 1, method, params },
  };
}

/** Starts the example, which ends with the tour. */
async function start(metadata: string, port: number): Promise<void> {
  const env = { PATH: process.env['PATH'], GATEHOUSE_METADATA: metadata, PORT: String(port) };
  const child = spawn(process.execPath, [server], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  child.unref();
  process.once('exit', () => child.kill());
  for (let tries = 0; tries < mostTries && child.exitCode === null; tries += 1) {
    const answer = await fetch(`http://localhost:${port}/mcp`).catch(() => null);
    await answer?.arrayBuffer();
    if (answer) return;
    await delay(100);
  }
  expect(false, 'the MCP server of the example did not start');
}

async function freePort(): Promise<number> {
  const listening = createServer();
  await once(listening.listen(0, '127.0.0.1'), 'listening');
  const { port } = listening.address() as AddressInfo;
  listening.close();
  return port;
}
