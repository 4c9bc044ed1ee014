/** The service under test as the full product: `gatehouse serve` on a seeded database, its log in a file. */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { compiledEnvironment } from '../support/compiled.ts';
import { freePort, type Installation, install, startFlags } from '../support/process.ts';
import type { DatabaseKind } from '../support/stores.ts';
import type { Seeded, SeededAs } from './seed.ts';
import { basicAuthorization, endChild, keepWatch, type Server } from './servers.ts';
import type { RequestKind, Target } from './target.ts';

const program = fileURLToPath(new URL('../../bin/gatehouse.js', import.meta.url));
const sources = fileURLToPath(new URL('../../src/gatehouse.ts', import.meta.url));
const readyMilliseconds = 60_000;

/** A database that is ready to be served. */
export interface Gatehouse {
  readonly installation: Installation;
  /** Starts as many processes as said, and answers when they are ready. */
  serve(options?: ServeOptions): Promise<Server>;
  /** How many events the audit trail has by now; 0 when its chain does not verify. */
  countVerifiedEvents(): Promise<number>;
  dispose(): Promise<void>;
}

export interface ServeOptions {
  readonly processes?: number;
  /** One server instead, with so many processes below its supervisor. */
  readonly supervised?: number;
  /** Flags of node, such as `--cpu-prof`. */
  readonly flags?: readonly string[];
  /** What else uses CPU time for it: the database server. */
  readonly pids?: readonly number[];
  /** More settings, one element for each process. */
  readonly envs?: readonly ServedEnv[];
}

/** More settings of a server. */
type ServedEnv = Readonly<Record<string, string>>;

export interface StartedProcess {
  readonly child: ChildProcess;
  readonly port: number;
  /** From the start of the process until it was ready. */
  readonly milliseconds: number;
}

function environment({ databaseUrl, port }: Installation, own: number, more: ServedEnv = {}): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    DATABASE_URL: databaseUrl,
    PORT: String(own),
    SERVICE_DOMAIN: `localhost:${port}`,
    // There is no balancer in front of it.
    DRAIN_SECONDS: '0',
    ...more,
  };
}

/** Makes what a first start makes: the process that makes it is larger than one that finds it. */
export function makePrograms(): void {
  execFileSync(process.execPath, [program, 'prepare'], { stdio: ['ignore', 'ignore', 'inherit'] });
}

/** Starts one server process; settles when `/readyz` answers 200. */
export async function startProcess(
  installation: Installation,
  port = installation.port,
  flags: readonly string[] = [],
  env: ServedEnv = {},
  args: readonly string[] = [],
): Promise<StartedProcess> {
  const { folder } = installation;
  const log = openSync(join(folder, `serve-${port}.log`), 'a');
  const startedAt = performance.now();
  // A profile names the source of each function.
  const script = flags.includes('--cpu-prof') ? sources : program;
  const child = spawn(process.execPath, [...startFlags, ...flags, script, 'serve', ...args], {
    cwd: folder,
    env: environment(installation, port, env),
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  keepWatch(child);
  while (performance.now() - startedAt < readyMilliseconds && child.exitCode === null) {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
    await answer?.arrayBuffer();
    if (answer?.status === 200) return { child, port, milliseconds: performance.now() - startedAt };
    await delay(5);
  }
  child.kill('SIGKILL');
  throw new Error(`the service did not become ready; see ${join(folder, `serve-${port}.log`)}`);
}

/** Runs the seeding in a separate process, so that the measuring one stays small. */
export async function runSeeding<Made>(
  installation: Installation,
  program: 'seed.ts' | 'seed-documents.ts' | 'seed-streams.ts' | 'seed-lists.ts' | 'growth/seed.ts',
  args: readonly string[],
): Promise<Made> {
  const file = join(installation.folder, 'seeded.json');
  const child = spawn(process.execPath, [fileURLToPath(new URL(program, import.meta.url)), file, ...args], {
    cwd: installation.folder,
    env: { ...environment(installation, installation.port), ...compiledEnvironment },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  keepWatch(child);
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`seeding ended with exit code ${code}`);
  return JSON.parse(readFileSync(file, 'utf8')) as Made;
}

/** The standard door: that of the peers. */
function targetsOf(name: string, seeded: Seeded, ports: readonly number[], pids: readonly number[]): Server['targets'] {
  const target = (kind: RequestKind, path: string, authorization: string, tokens: readonly string[] = []): Target => {
    return { name: `${name} ${kind}`, kind, ports, host: seeded.host, path, authorization, tokens, pids };
  };
  const basic = basicAuthorization(seeded.clientId, seeded.clientSecret);
  const gateway = basicAuthorization(seeded.gatewayId, seeded.gatewaySecret);
  const { dpopTokens, api, sessions, managementToken, userIds } = seeded.others;
  const apiBasic = basicAuthorization(api.clientId, api.clientSecret);
  const management = `Bearer ${managementToken}`;
  const code = { ...target('code', '/oauth2/authorize', basic, sessions), clientId: seeded.clientId };
  return {
    refresh: target('refresh', '/oauth2/token', basic, seeded.refreshTokens),
    'refresh-es256': target(
      'refresh-es256',
      '/oauth2/token',
      basicAuthorization(seeded.es256.clientId, seeded.es256.clientSecret),
      seeded.es256.refreshTokens,
    ),
    'refresh-dpop': target('refresh-dpop', '/oauth2/token', basic, dpopTokens),
    'refresh-jwt': target('refresh-jwt', '/oauth2/token', apiBasic, api.refreshTokens),
    'client-credentials': target('client-credentials', '/oauth2/token', basic),
    'client-credentials-jwt': target('client-credentials-jwt', '/oauth2/token', apiBasic),
    registration: target('registration', '/oauth2/register', `Bearer ${seeded.registrationToken}`),
    introspection: target('introspection', '/oauth2/introspect', gateway, seeded.accessTokens),
    userinfo: target('userinfo', '/oauth2/userinfo', '', seeded.accessTokens),
    pushed: target('pushed', '/oauth2/par', basic),
    jwks: target('jwks', '/oauth2/jwks', ''),
    discovery: target('discovery', '/.well-known/openid-configuration', ''),
    code,
    'code-exchange': {
      ...code,
      ...{ name: `${name} code-exchange`, kind: 'code-exchange', exchangePath: '/oauth2/token' },
    },
    user: target('user', '/api/2/users', management, userIds),
    'user-change': target('user-change', '/api/2/users', management, userIds),
    'user-list': target('user-list', '/api/2/users', management),
    delegated: target('delegated', '/api/v1/delegated_auth', seeded.apiKey, seeded.delegates),
    'sign-in': { ...target('sign-in', '/oauth2/authorize', basic, seeded.delegates), clientId: seeded.clientId },
  };
}

/** Installs the service on a new database with signed-in users; `multiplied`: very many, on SQLite. */
export async function prepareGatehouse(
  name: string,
  kind: DatabaseKind,
  users: number,
  how: SeededAs = 'usual',
): Promise<Gatehouse> {
  const installation = await install(kind);
  const seeded = await runSeeding<Seeded>(installation, 'seed.ts', [String(users), how]);
  return {
    installation,
    serve: async ({ processes = 1, supervised, flags = [], pids: others = [], envs = [] } = {}) => {
      const args = supervised === undefined ? [] : ['--processes', String(supervised)];
      const started: StartedProcess[] = [];
      for (let number = 0; number < processes; number += 1) {
        const port = number === 0 && supervised === undefined ? installation.port : await freePort();
        started.push(await startProcess(installation, port, flags, envs[number], args));
      }
      const pids = [...started.map(({ child }) => child.pid ?? 0), ...others];
      const ports = started.map(({ port }) => port);
      return {
        label: `Gatehouse (${name})`,
        pids,
        targets: targetsOf(`${name}, ${processes}`, seeded, ports, pids),
        stop: async () => {
          await Promise.all(started.map(({ child }) => endChild(child, 'SIGTERM')));
        },
      };
    },
    countVerifiedEvents: async () => {
      const account = seeded.host.replace(/\..*$/, '');
      const { stdout } = await installation.run(['--json', 'audit', 'verify', '--account', account]);
      const { events, verified } = JSON.parse(stdout);
      return verified ? events : 0;
    },
    dispose: installation.dispose,
  };
}
