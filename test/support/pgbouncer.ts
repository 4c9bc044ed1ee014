/**
 * The real PgBouncer in front of a PostgreSQL: the program of this machine, or Debian's packages, which are unpacked
 * into a temporary folder and not installed.
 */

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { unprivilegedUser } from './postgres.ts';
import { freePort } from './process.ts';

export interface PgBouncer {
  readonly port: number;
  /** Processes of it, for measuring. */
  readonly pid: number;
  stop(): Promise<void>;
}

export interface PgBouncerProgram {
  readonly version: string;
  /**
   * Stands before the server of that URL, for all of its databases; `settings` are further lines of the section
   * `[pgbouncer]`.
   */
  start(url: string, mode: 'session' | 'transaction' | 'statement', settings?: readonly string[]): Promise<PgBouncer>;
  /** Removes what was unpacked. */
  remove(): void;
}

/** With the libraries that a machine without it may lack. */
const packages = ['pgbouncer', 'libc-ares2', 'libevent-2.1-7'];

interface Found {
  readonly file: string;
  readonly libraries: string;
}

function findHere(): Found | null {
  const search = 'PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin"; command -v pgbouncer';
  const file = spawnSync('sh', ['-c', search], { encoding: 'utf8' }).stdout.trim();
  return file === '' ? null : { file, libraries: '' };
}

function unpack(folder: string): Found {
  for (const name of packages) execFileSync('apt-get', ['download', '-qq', name], { cwd: folder, stdio: 'ignore' });
  for (const name of readdirSync(folder).filter((entry) => entry.endsWith('.deb'))) {
    execFileSync('dpkg', ['-x', name, '.'], { cwd: folder });
  }
  const libraries = readdirSync(join(folder, 'usr/lib')).map((name) => join(folder, 'usr/lib', name));
  return { file: join(folder, 'usr/sbin/pgbouncer'), libraries: libraries.join(':') };
}

/** Throws, with what can be done about it, where there is none. */
export function findPgBouncer(): PgBouncerProgram {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-pgbouncer-'));
  try {
    const { file, libraries } = findHere() ?? unpack(folder);
    // It refuses to run as root, and writes its log here.
    chmodSync(folder, 0o777);
    const env = { LD_LIBRARY_PATH: libraries };
    const version = execFileSync(file, ['--version'], { env, encoding: 'utf8' }).split('\n')[0] ?? '';
    return {
      version,
      start: (url, mode, settings = []) => start(file, env, { folder, url, mode, settings }),
      remove: () => rmSync(folder, { recursive: true, force: true }),
    };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    const remedy = `install it (apt-get install pgbouncer), or let apt-get download ${packages.join(', ')}`;
    throw new Error(`PgBouncer is neither on the PATH nor to be had from Debian: ${remedy}`, { cause: error });
  }
}

interface Wanted {
  readonly folder: string;
  readonly url: string;
  readonly mode: string;
  readonly settings: readonly string[];
}

async function start(
  file: string,
  env: NodeJS.ProcessEnv,
  { folder, url, mode, settings }: Wanted,
): Promise<PgBouncer> {
  const port = await freePort();
  const { hostname, port: serverPort, username, password } = new URL(url);
  const configuration = join(folder, `${port}.ini`);
  const log = join(folder, `${port}.log`);
  const lines = [
    '[databases]',
    `* = host=${hostname} port=${serverPort} user=${username} password=${password}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    // Whoever reaches it is let in; it logs in at the server.
    'auth_type = any',
    `pool_mode = ${mode}`,
    `logfile = ${log}`,
    'max_client_conn = 2000',
    ...settings,
  ];
  writeFileSync(configuration, `${lines.join('\n')}\n`);
  chmodSync(configuration, 0o644);
  const child = spawn(file, ['--quiet', configuration], { ...unprivilegedUser(), env, stdio: 'ignore' });
  const end = () => child.kill('SIGKILL');
  process.once('exit', end);
  child.once('exit', () => process.off('exit', end));
  while (child.exitCode === null && !(await isOpen(port))) await delay(20);
  if (child.exitCode !== null) throw new Error(`PgBouncer did not start:\n${readFileSync(log, 'utf8')}`);
  return {
    port,
    pid: child.pid ?? 0,
    stop: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function isOpen(port: number): Promise<boolean> {
  const socket = connect({ port, host: '127.0.0.1' });
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
