/**
 * The public conformance tool of the protocol: its scenarios for authorization servers, and those for servers that
 * apply.
 */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { run } from '../../scripts/conformance/toolchain.ts';
import { freePort } from '../support/process.ts';
import type { ExampleSite } from './example-site.ts';

/** The last one published has no scenarios for authorization servers yet. */
const version = '0.2.0-alpha.12';
/** The others call tools, resources, and prompts of a server that is made for the tool. */
const serverScenarios = ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection'];

interface Outcome {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
}

/** Answers each check's outcome by its name. `token`: one for the server, which the tool itself cannot get. */
export async function runConformanceTool(site: ExampleSite, token: string, parent: string) {
  const folder = join(parent, 'conformance');
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const packages = `@modelcontextprotocol/conformance@${version}`;
  await run(['npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', packages], { cwd: folder });
  const asAuthorizationServer = await atAuthorizationServer(site, folder);
  const proxy = await openProxy(site.resource, token);
  try {
    const outcomes = [...asAuthorizationServer];
    for (const scenario of serverScenarios) {
      await tool(folder, ['server', '--url', proxy.address, '--scenario', scenario, '-o', scenario]);
      outcomes.push(...readOutcomes(join(folder, scenario)));
    }
    return outcomes;
  } finally {
    proxy.close();
  }
}

async function atAuthorizationServer(site: ExampleSite, folder: string): Promise<readonly Outcome[]> {
  const port = await freePort();
  const json = {
    client_name: 'The conformance tool',
    redirect_uris: [`http://127.0.0.1:${port}/callback`],
    token_endpoint_auth_method: 'none',
  };
  const { body } = await site.wire.send('POST', '/oauth2/register', { json });
  const client = ['--client-id', body.client_id, '--port', String(port), '--resource', site.resource];
  const output = 'authorization';
  await tool(folder, ['authorization', '--url', site.issuer, ...client, '-o', output], async (address) => {
    await fetch(await site.decide(new URL(address)));
  });
  return readOutcomes(join(folder, output));
}

/** Runs the tool to its end; `browse` gets the address that it asks to open. What it thinks stands in its files. */
async function tool(cwd: string, args: readonly string[], browse?: (address: string) => Promise<void>): Promise<void> {
  const program = 'node_modules/@modelcontextprotocol/conformance/dist/index.js';
  const child = spawn(process.execPath, [program, ...args], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'close');
  let said = '';
  let browsed: Promise<void> | undefined;
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const [address] = /http\S+response_type=\S+(?=\s)/.exec(said) ?? [];
      if (address !== undefined) browsed ??= browse?.(address);
    });
  }
  await ended;
  await browsed;
  assert.doesNotMatch(said, /unknown option|Unknown scenario/i, said);
}

function readOutcomes(folder: string): readonly Outcome[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('checks.json'),
  );
  assert.notEqual(files.length, 0, `nothing in ${folder}`);
  return files.flatMap((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Outcome[]);
}

/**
 * In front of the server, as a client with a token would be; what it is asked for under another name it hands on so.
 */
async function openProxy(resource: string, token: string) {
  const { host, port, pathname } = new URL(resource);
  const server = createServer((from, to) => {
    const own = `localhost:${(server.address() as AddressInfo).port}`;
    const headers = {
      ...from.headers,
      host: from.headers.host === own ? host : from.headers.host,
      authorization: `Bearer ${token}`,
    };
    const sent = request({ host: 'localhost', port, path: from.url, method: from.method, headers }, (answer) => {
      to.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(to);
    });
    from.pipe(sent);
  });
  await once(server.listen(0, 'localhost'), 'listening');
  const address = `http://localhost:${(server.address() as AddressInfo).port}${pathname}`;
  return { address, close: () => server.close().closeAllConnections() };
}
