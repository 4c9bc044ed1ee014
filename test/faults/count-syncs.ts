/** Counts what a server made durable, by what others saw of it: commits, and the calls that wait for the disk. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import pg from 'pg';

export interface Durability {
  readonly commits: number;
  /** Calls of fsync or fdatasync; null when they could not be counted. */
  readonly syncs: number | null;
  readonly whyNot?: string;
}

/** A tracer of one process, or why there is none. */
type Tracer = { readonly stop: () => Promise<number> } | { readonly whyNot: string };

const attachMilliseconds = 20_000;

/** Counts the syncs of the process from now until it is stopped, by `strace`. */
async function traceSyncs(pid: number): Promise<Tracer> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-trace-'));
  const file = join(folder, 'trace');
  const child = spawn('strace', ['-f', '-p', String(pid), '-e', 'trace=fsync,fdatasync', '-o', file]);
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString('utf8');
  });
  const ended = once(child, 'close').catch((error: NodeJS.ErrnoException) => {
    said = error.code === 'ENOENT' ? 'strace is not installed' : error.message;
  });
  const deadline = performance.now() + attachMilliseconds;
  let running = true;
  void ended.then(() => {
    running = false;
  });
  while (running && !/attached/.test(said) && performance.now() < deadline) await delay(10);
  if (!running || !/attached/.test(said)) {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
    return { whyNot: said.trim() === '' ? 'strace did not attach' : said.trim() };
  }
  return {
    stop: async () => {
      child.kill('SIGINT');
      await ended;
      const lines = readFileSync(file, 'utf8').split('\n');
      rmSync(folder, { recursive: true, force: true });
      // A call interrupted by another thread's is printed on two lines; the second has the result.
      return lines.filter((line) => /\b(fsync|fdatasync)\b.*= 0$/.test(line)).length;
    },
  };
}

/**
 * Commits in SQLite's write-ahead log: frames that name the size of the database
 * (https://sqlite.org/fileformat2.html#walformat).
 */
function readLog(file: string): { readonly salt: string; readonly commits: number } {
  const log = readFileSync(`${file}-wal`);
  const frameSize = 24 + log.readUInt32BE(8);
  const salt = log.toString('hex', 16, 24);
  let commits = 0;
  for (let at = 32; at + frameSize <= log.length; at += frameSize) {
    // What is left of an older log.
    if (log.toString('hex', at + 8, at + 16) !== salt) break;
    if (log.readUInt32BE(at + 4) !== 0) commits += 1;
  }
  return { salt, commits };
}

/** On SQLite: the commits in its log, and the syncs that `strace` sees. `warmUp` writes once. */
export async function countOnSqlite(
  file: string,
  pid: number,
  warmUp: () => Promise<unknown>,
  work: () => Promise<unknown>,
): Promise<Durability> {
  const reader = new Sqlite(file, { readonly: true });
  try {
    // During a read the log only grows; the first write may restart it.
    reader.exec('begin; select count(*) from accounts');
    await warmUp();
    const tracer = await traceSyncs(pid);
    const before = readLog(file);
    await work();
    const after = readLog(file);
    const syncs = 'stop' in tracer ? await tracer.stop() : null;
    if (before.salt !== after.salt) throw new Error('the write-ahead log restarted while commits were counted');
    return { commits: after.commits - before.commits, syncs, ...('whyNot' in tracer && tracer) };
  } finally {
    reader.close();
  }
}

/** Backends tell their counters when they end, and a moment later others can read them. */
const tellMilliseconds = 500;

async function readCounters(client: pg.Client): Promise<{ readonly commits: number; readonly syncs: number }> {
  await delay(tellMilliseconds);
  // Only a transaction that writes has a number of its own.
  const { rows } = await client.query(`select pg_snapshot_xmax(pg_current_snapshot())::text as commits,
    (select sum(fsyncs) from pg_stat_io where object = 'wal') as syncs`);
  return { commits: Number(rows[0].commits), syncs: Number(rows[0].syncs) };
}

/** On PostgreSQL 18: its own counters; `work` must leave no connection of the service open, nor find one. */
export async function countOnPostgres(url: string, work: () => Promise<unknown>): Promise<Durability> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const before = await readCounters(client);
    await work();
    const after = await readCounters(client);
    return { commits: after.commits - before.commits, syncs: after.syncs - before.syncs };
  } finally {
    await client.end();
  }
}
