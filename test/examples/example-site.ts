/** The example's MCP server behind a service of its own, as one command starts both, and a person with a browser. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, type Installation, install } from '../support/process.ts';
import { CookieJar, submit, walk } from '../support/sign-in.ts';
import type { DatabaseKind } from '../support/stores.ts';
import { openWire, type Wire } from '../support/wire.ts';

const command = fileURLToPath(new URL('../../examples/mcp-server/start.js', import.meta.url));

interface DemoUser {
  readonly email: string;
  readonly password: string;
}

export interface ExampleSite {
  readonly installation: Installation;
  /** To the service; every answer is held against the contract. */
  readonly wire: Wire;
  readonly issuer: string;
  /** The address that a client is given. */
  readonly resource: string;
  readonly user: DemoUser;
  /** Goes where a client sends the user, signs in, allows what is asked, and answers the address of the client. */
  decide(address: URL): Promise<URL>;
  close(): Promise<void>;
}

interface ExampleOptions {
  /** A folder where nothing has run yet, in which it is started as a reader of the guide does. */
  readonly clone?: string;
  /** More settings. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts both on an empty database and waits until the command says that it is ready. */
export async function openExample(kind: DatabaseKind, { clone, env: more }: ExampleOptions = {}): Promise<ExampleSite> {
  const installation = await install(kind);
  const mcpPort = await freePort();
  const ports = { PORT: String(installation.port), MCP_PORT: String(mcpPort) };
  const env = { ...ports, DRAIN_SECONDS: '0', LOG_LEVEL: 'warn', ...more };
  const [file, ...args] = clone === undefined ? [process.execPath, command] : ['npm', 'run', 'mcp'];
  const cwd = clone ?? installation.folder;
  const child = spawn(file, args, {
    cwd,
    env: { PATH: process.env['PATH'], ...(clone === undefined && { DATABASE_URL: installation.databaseUrl }), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  const stop = () => child.kill('SIGTERM');
  process.once('exit', stop);
  const wire = openWire({ port: installation.port, host: `localhost:${installation.port}` });
  const close = async () => {
    wire.close();
    stop();
    await ended;
    process.off('exit', stop);
    await installation.dispose();
  };
  try {
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        if (output.includes('The MCP server is ready')) child.emit('ready');
      });
    }
    await Promise.race([once(child, 'ready'), ended.then(() => assert.fail(`the command ended: ${output}`))]);
    const { user } = JSON.parse(readFileSync(join(cwd, 'data/demo.json'), 'utf8'));
    return {
      installation,
      wire,
      issuer: `http://localhost:${installation.port}`,
      resource: `http://localhost:${mcpPort}/mcp`,
      user,
      decide: (address) => decide(wire, user, address),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** In a browser that nobody has used before. */
async function decide(wire: Wire, { email, password }: DemoUser, { pathname, search }: URL): Promise<URL> {
  const signIn = await walk(wire, new CookieJar(), pathname + search);
  assert.match(signIn.answer.text, /name="password"/);
  const consent = await submit(wire, signIn, { username: email, password });
  assert.match(consent.answer.text, /value="allow"/);
  const { answer } = await submit(wire, consent, { decision: 'allow' });
  assert.equal(answer.status, 303, answer.text);
  return new URL(String(answer.headers['location']));
}
