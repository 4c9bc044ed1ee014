/** The real service in processes of its own: `gatehouse serve` and the command line, in a temporary folder. */

import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer, type ListenOptions, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import packageJson from '../../package.json' with { type: 'json' };
import { type CliFolder, cliFolder } from './cli.ts';
import { type FreshDatabase, freshDatabase } from './postgres.ts';
import { type DatabaseKind, migratedOnPostgres, writeMigrated } from './stores.ts';
import { settingsOf, wayTo } from './way.ts';

const readyMilliseconds = 600_000;
/** Of node, as `npm start` gives them. */
export const startFlags = /^exec node (.*) bin\//.exec(packageJson.scripts.start)?.[1]?.split(' ') ?? [];

/** A database, a master key file and the settings with which processes run on them; nothing runs yet. */
export interface Installation {
  /** Working folder of every process; with SQLite and the key in `data`. */
  readonly folder: string;
  readonly databaseUrl: string;
  /** The first process listens here, and the hosts of accounts name it. */
  readonly port: number;
  /** Runs a command to its end, in a separate process. */
  readonly run: CliFolder['run'];
  /** Runs a command line in the process for all of them. */
  readonly ask: CliFolder['ask'];
  /** Starts a long-running command; the test ends it. */
  readonly start: CliFolder['start'];
  /** Runs a command with `--json` and answers what it printed; rejects when it fails. */
  readonly cli: CliFolder['json'];
  /** Starts a server and waits until it is ready; rejects with its output when it ends before. */
  serve(options?: ServeOptions): Promise<Service>;
  /** Ends what still runs and removes the folder and the database. */
  dispose(): Promise<void>;
}

export interface ServeOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Make the demo account on an empty database. */
  readonly demo?: boolean;
  /** Another port than the installation's, for a second process on the same database. */
  readonly port?: number;
  /** So many processes below one supervisor. */
  readonly processes?: number | 'auto';
  /** Another checkout than the installation's. */
  readonly root?: string;
}

/** A server process. */
export interface Service {
  /** `http://127.0.0.1:<port>`. */
  readonly baseUrl: string;
  readonly port: number;
  readonly pid: number;
  readonly folder: string;
  readonly installation: Installation;
  readonly cli: CliFolder['json'];
  /** All it wrote so far on both outputs. */
  output(): string;
  /** Sends the signal, waits for the end and answers the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  /** Ends it with SIGKILL. */
  kill(): Promise<void>;
}

const running = new Set<ChildProcessWithoutNullStreams>();
const folders = new Set<CliFolder>();

// A test that fails, or a runner that loses patience, leaves nothing behind.
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
  for (const folder of folders) folder.remove();
});
process.once('SIGTERM', () => process.exit(143));

/**
 * A new installation whose database is migrated already, as by `gatehouse db migrate`, and empty but for that: to
 * migrate one takes longer than to start a server.
 */
export async function installMigrated(
  kind: DatabaseKind,
  env: Readonly<Record<string, string>> = {},
): Promise<Installation> {
  if (kind === 'postgres') return installOn(env, undefined, await migratedOnPostgres());
  const installation = await installOn(env);
  mkdirSync(join(installation.folder, 'data'), { mode: 0o700 });
  await writeMigrated(join(installation.folder, 'data/gatehouse.db'));
  return installation;
}

/**
 * A fresh installation on an empty database, or on the one that the settings for all its processes name; `root` is the
 * checkout that it runs.
 */
export async function install(
  kind: DatabaseKind,
  env: Readonly<Record<string, string>> = {},
  root?: string,
): Promise<Installation> {
  const { DATABASE_URL: given } = env;
  return installOn(env, root, kind === 'postgres' && given === undefined ? await freshDatabase() : undefined);
}

async function installOn(
  env: Readonly<Record<string, string>>,
  root?: string,
  database?: FreshDatabase,
): Promise<Installation> {
  const { DATABASE_URL: given } = env;
  const port = await freePort();
  // By default there is no balancer in front of it: a stop need not wait for one.
  const own = { PORT: String(port), DRAIN_SECONDS: '0', ...(database && settingsOf(wayTo(database.url))) };
  const cli = cliFolder({ ...own, ...env }, root);
  folders.add(cli);
  const servers = new Set<ChildProcessWithoutNullStreams>();
  const installation: Installation = {
    folder: cli.path,
    databaseUrl: given ?? database?.url ?? `sqlite:${join(cli.path, 'data/gatehouse.db')}`,
    port,
    run: cli.run,
    ask: cli.ask,
    start: cli.start,
    cli: cli.json,
    serve: ({ env = {}, demo = false, port: own = port, processes, root } = {}) => {
      // The hosts of accounts stay those of the first process.
      const address = own === port ? {} : { PORT: String(own), SERVICE_DOMAIN: `localhost:${port}` };
      const several = processes === undefined ? [] : ['--processes', String(processes)];
      const args = ['serve', ...(demo ? ['--demo'] : []), ...several];
      const settings = { ...address, ...env };
      const child = cli.start(args, settings, { root });
      for (const set of [running, servers]) {
        set.add(child);
        child.once('close', () => set.delete(child));
      }
      return serve(installation, child, own);
    },
    dispose: async () => {
      for (const child of servers) {
        child.kill('SIGKILL');
        await once(child, 'close');
      }
      await database?.drop();
      cli.remove();
      folders.delete(cli);
    },
  };
  return installation;
}

/** A server on a new installation. */
export async function startService({
  database,
  ...options
}: ServeOptions & { readonly database: DatabaseKind }): Promise<Service> {
  const installation = await installMigrated(database);
  return installation.serve(options);
}

async function serve(
  installation: Installation,
  child: ChildProcessWithoutNullStreams,
  port: number,
): Promise<Service> {
  const output = collect(child);
  const ended = once(child, 'close') as Promise<[number | null]>;
  const baseUrl = `http://127.0.0.1:${port}`;
  await untilReady(baseUrl, child, output);
  return {
    baseUrl,
    port,
    pid: child.pid ?? 0,
    folder: installation.folder,
    installation,
    cli: installation.cli,
    output,
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal);
      return (await ended)[0];
    },
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

async function untilReady(baseUrl: string, child: ChildProcessWithoutNullStreams, output: () => string): Promise<void> {
  const deadline = performance.now() + readyMilliseconds;
  while (performance.now() < deadline && child.exitCode === null) {
    const answer = await fetch(`${baseUrl}/readyz`).catch(() => null);
    await answer?.arrayBuffer();
    if (answer?.status === 200) return;
    await delay(75);
  }
  child.kill('SIGKILL');
  throw new Error(`the service did not become ready:\n${output()}`);
}

/** What it wrote so far, standard output first. */
function collect(child: ChildProcessWithoutNullStreams): () => string {
  const [stdout, stderr] = [child.stdout, child.stderr].map((stream) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    return () => Buffer.concat(chunks).toString('utf8');
  });
  return () => `${stdout?.()}${stderr?.()}`;
}

/** A server that listens there; null when another one does. */
function listenAt(address: ListenOptions): Promise<Server | null> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(null)).listen(address, () => resolve(server));
  });
}

/**
 * An unused loopback port, below the system's ephemeral range. No other process of the tests gets the same one while
 * this process lives, though nothing listens there between two starts of a server: this process holds a name for it,
 * an abstract socket of Linux, which ends with the process.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 20_000);
    const name = await listenAt({ path: `\0gatehouse-test-port-${port}` });
    if (!name) continue;
    name.unref();
    const server = await listenAt({ host: '127.0.0.1', port });
    if (!server) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}
