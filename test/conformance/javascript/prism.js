/**
 * Prism: the contract of one surface as a mock without a service, and that of all surfaces as a proxy in front of the
 * service, which refuses every request and every answer that the contract does not allow.
 */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { issuer, said } from './user.js';

const token = process.env['GATEHOUSE_TOKEN'];

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** Starts Prism with a contract as it is served; answers once it listens. */
async function start(mode, contract, ...more) {
  writeFileSync(contract, await (await fetch(`${issuer}/openapi/${contract}`)).text());
  const port = await freePort();
  const args = ['node_modules/.bin/prism', mode, '--port', `${port}`, contract, ...more];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  let told = '';
  for await (const text of child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    told += text;
    if (told.includes('Prism is listening')) break;
  }
  assert.match(told, /Prism is listening/);
  // It goes on telling of every request.
  child.stdout.resume();
  return { origin: `http://127.0.0.1:${port}`, stop: () => child.kill() && exit };
}

/** Sends a request with the token; answers status, headers and body. */
async function send(origin, request, body, headers = {}) {
  const [method, path] = request.split(' ');
  const answer = await fetch(origin + path, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: text === '' ? null : JSON.parse(text) };
}

const mock = await start('mock', 'api-2.yaml');
const listed = await send(mock.origin, 'GET /api/2/users?limit=2');
assert.equal(listed.status, 200);
assert.equal(typeof listed.body[0].email, 'string');
assert.equal((await send(mock.origin, 'GET /api/2/users/1', null, { prefer: 'code=404' })).status, 404);
assert.equal((await send(mock.origin, 'GET /api/2/users?limit=many')).status, 400);
assert.equal((await send(mock.origin, 'POST /api/2/roles', { nome: 'Staff' })).status, 422);
assert.equal((await fetch(`${mock.origin}/api/2/users`)).status, 401);
await mock.stop();
said('the mock answers with the examples, and with the documented errors for wrong and for chosen requests');

const proxy = await start('proxy', 'gatehouse.json', '--errors', issuer);
const expect = async (status, request, body, headers) => {
  const answer = await send(proxy.origin, request, body, headers);
  assert.equal(answer.status, status, `${request}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer;
};
await expect(200, 'GET /.well-known/openid-configuration');
await expect(200, 'GET /auth/rate_limit');
const metadata = { client_name: 'By the proxy', redirect_uris: ['https://app.example.com/callback'] };
const { body: client } = await expect(200, 'POST /oidc/2/register', metadata);
const { body: user } = await expect(201, 'POST /api/2/users', { email: 'grace@example.com', firstname: 'Grace' });
await expect(200, `POST /api/2/apps/${client.app_id}/users`, [user.id]);
const page = await expect(200, 'GET /api/2/users?limit=1');
const cursor = page.headers.get('after-cursor');
await expect(200, `GET /api/2/users?limit=1&cursor=${encodeURIComponent(cursor)}`);
await expect(200, `PUT /api/2/users/${user.id}`, { title: 'Rear admiral' });
await expect(200, 'GET /api/2/events?limit=10');
await expect(204, `DELETE /api/2/users/${user.id}`);
await expect(404, `GET /api/2/users/${user.id}`);
said('the proxy passes on requests and answers of four surfaces: none violates the contract');

const { body: refused } = await expect(422, 'POST /api/2/roles', { nome: 'Staff' });
assert.ok(refused.validation.some(({ code }) => code === 'required'));
await expect(401, 'GET /api/2/users', null, { authorization: '' });
await proxy.stop();
said('the proxy refuses what the contract does not allow, and says what');
