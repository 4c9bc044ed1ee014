/**
 * Starts Gatehouse with its demo account, unless it runs already in this folder, makes the API of the example there, and
 * starts the MCP server behind it:
 *
 *     npm run mcp
 *
 * PORT is that of Gatehouse (3000), and MCP_PORT that of the MCP server (8080).
 */

import { execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startServer } from './server.js';

const { PORT = '3000', MCP_PORT = '8080' } = process.env;
const gatehouse = fileURLToPath(new URL('../../bin/gatehouse.js', import.meta.url));
const issuer = `http://localhost:${PORT}`;
const resource = `http://localhost:${MCP_PORT}/mcp`;
const role = 'MCP users';
const scopes = { 'notes:read': 'See your notes', 'notes:write': 'Add notes' };

const readiness = () =>
  fetch(`${issuer}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );

async function startGatehouse() {
  if (await readiness()) return;
  const child = spawn(process.execPath, [gatehouse, 'serve', '--demo'], { stdio: ['ignore', 'inherit', 'inherit'] });
  child.once('exit', (code) => process.exit(code ?? 1));
  // It stops in order, and this process with it.
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => child.kill('SIGTERM'));
  process.once('exit', () => child.kill('SIGTERM'));
  while (!(await readiness())) await delay(50);
}

function readDemo() {
  try {
    const demo = JSON.parse(readFileSync('data/demo.json', 'utf8'));
    if (demo.issuer === issuer) return demo;
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  throw new Error(`what runs at ${issuer} is not the demo account of this folder: end it, or choose another PORT`);
}

/** The management API, as the demo account's API pair may use it. */
async function openManagement({ client_id: id, client_secret: secret }) {
  const authorization = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
  const form = new URLSearchParams({ grant_type: 'client_credentials' });
  const init = { method: 'POST', headers: { authorization }, body: form };
  const { access_token: token } = await answered(fetch(`${issuer}/auth/oauth2/v2/token`, init));
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return (method, path, body) =>
    answered(fetch(`${issuer}/api/2${path}`, { method, headers, body: body && JSON.stringify(body) }));
}

async function answered(request) {
  const answer = await request;
  const body = await answer.text();
  if (!answer.ok) throw new Error(`${answer.url} answers ${answer.status}: ${body}`);
  return body === '' ? null : JSON.parse(body);
}

/** Answers the number of the example's API, which is made when there is none. */
async function prepareApi(manage) {
  const found = (await manage('GET', '/api_authorizations?limit=1000')).find(
    ({ configuration }) => configuration.resource_identifier === resource,
  );
  if (found) return found.id;
  const configuration = {
    resource_identifier: resource,
    access_token_expiration_minutes: 10,
    client_access: 'consent',
    resource_metadata: true,
  };
  const { id } = await manage('POST', '/api_authorizations', { name: 'Notes', configuration });
  for (const [value, description] of Object.entries(scopes)) {
    await manage('POST', `/api_authorizations/${id}/scopes`, { value, description, open: true });
  }
  return id;
}

/** Lets clients register themselves or be known by a metadata document, and users of one role sign in to them, the demo user among these. */
async function openRegistration(manage, { email }) {
  const [known] = await manage('GET', `/roles?name=${encodeURIComponent(role)}`);
  if (!known) {
    const [user] = await manage('GET', `/users?email=${encodeURIComponent(email)}`);
    await manage('POST', '/roles', { name: role, users: [user.id] });
  }
  const settings = ['registration=open', `open_registration_roles=${role}`];
  settings.push('client_id_metadata_documents=any', `client_id_metadata_roles=${role}`);
  await promisify(execFile)(process.execPath, [gatehouse, 'account', 'set', 'demo', ...settings]);
}

await startGatehouse();
const demo = readDemo();
const manage = await openManagement(demo.credential);
await openRegistration(manage, demo.user);
const id = await prepareApi(manage);
await startServer({ metadata: `${issuer}/oauth2/resource_metadata/${id}`, port: Number(MCP_PORT) });
process.stdout.write(`
The MCP server is ready: give this address to a client, and sign in as the demo user.

  MCP server     ${resource}
  Sign in as     ${demo.user.email}
  Password       ${demo.user.password}

In Claude Code   claude mcp add --transport http notes ${resource}
What is broken?  npx gatehouse doctor ${resource}

`);
