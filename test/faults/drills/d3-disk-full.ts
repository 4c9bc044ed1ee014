import { chownSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { type Installation, install } from '../../support/process.ts';
import { openAccount, type RunningAccount } from '../../support/running-account.ts';
import {
  clientAuthentication,
  redeem,
  refresh,
  registerClient,
  signInForCode,
  type Tokens,
} from '../../support/sign-in.ts';
import type { DatabaseKind } from '../../support/stores.ts';
import { everyWriteSince, type Load, type Statuses, startLoad } from '../disk-load.ts';
import { type Drill, type DrillOptions, type DrillResult, onEachDatabase } from '../drill.ts';
import { mountSmallDisk, type SmallDisk } from '../full-disk.ts';

const sessionCount = 8;
/** How long the disk stays full in each round once it refuses. */
const fullMilliseconds = { quick: 500, long: 12_000 };
const settings = ['limit.register=off', 'limit.client-auth=off', 'limit.sign-in=off'];

/**
 * D3: a file system in memory that the database lies on is filled and emptied again. On PostgreSQL it holds the
 * database's tablespace: where its own log finds no space, the server stops itself, which is the outage of D4.
 */
export const drill: Drill = {
  id: 'D3',
  title: 'disk full: writes answer 503, reads continue, recovery without a restart, nothing acknowledged is lost',
  rounds: 10,
  // `full-disk.test.ts` fills a disk once.
  quickRounds: null,
  run: (options) => onEachDatabase((database) => runOn(database, options), options.databases),
};

async function runOn(database: DatabaseKind, options: DrillOptions): Promise<DrillResult> {
  const disk = mountSmallDisk(database === 'sqlite' ? 12 : 32);
  if (!disk) return { figures: { 'not run': 'no right to mount a small file system' }, holds: true };
  try {
    return await (database === 'sqlite' ? onSqlite(disk, options) : onPostgres(disk, options));
  } finally {
    disk.remove();
  }
}

async function onSqlite(disk: SmallDisk, options: DrillOptions): Promise<DrillResult> {
  const file = join(disk.folder, 'gatehouse.db');
  const installation = await install('sqlite', { DATABASE_URL: `sqlite:${file}` });
  try {
    const result = await runThrough(installation, disk, options);
    const db = new Sqlite(file);
    const integrity = String(db.pragma('integrity_check', { simple: true }));
    db.close();
    return { figures: { ...result.figures, integrity }, holds: result.holds && integrity === 'ok' };
  } finally {
    await installation.dispose();
  }
}

async function onPostgres(disk: SmallDisk, options: DrillOptions): Promise<DrillResult> {
  const installation = await install('postgres');
  const url = new URL(installation.databaseUrl);
  const name = url.pathname.slice(1);
  const space = basename(disk.folder).replaceAll('-', '_').toLowerCase();
  url.pathname = '/postgres';
  const admin = new pg.Client({ connectionString: url.href });
  await admin.connect();
  try {
    // The server's own user must own the folder.
    const { rows } = await admin.query("select current_setting('data_directory') as folder");
    const { uid, gid } = statSync(rows[0].folder);
    chownSync(disk.folder, uid, gid);
    await admin.query(`create tablespace "${space}" location '${disk.folder}'`);
    await admin.query(`alter database ${name} set tablespace "${space}"`);
    return await runThrough(installation, disk, options);
  } finally {
    await installation.dispose();
    // What was dropped is removed from the disk by the next checkpoint.
    await admin.query('checkpoint');
    await admin.query(`drop tablespace if exists "${space}"`);
    await admin.end();
  }
}

async function runThrough(installation: Installation, disk: SmallDisk, options: DrillOptions): Promise<DrillResult> {
  const service = await installation.serve();
  const account = await openAccount(service, settings);
  const client = await registerClient(account);
  const user = await account.makeUser(client.app_id);
  const sessions: Tokens[] = [];
  while (sessions.length < sessionCount) {
    const query = await signInForCode(account, client, user);
    sessions.push(await redeem(account, client, query.get('code') ?? ''));
  }
  const load = startLoad({ account, client, sessions, bearer: await account.bearer('register_clients') });
  const recovered: number[] = [];
  for (let round = 0; round < options.rounds; round += 1) {
    load.phase = round === 0 ? 'space' : 'space again';
    await everyWriteSince(load, performance.now());
    disk.fill();
    load.phase = 'full';
    const refusals = () => load.writes.full['503'] ?? 0;
    const before = refusals();
    while (refusals() < before + 50) await delay(10);
    await delay(options.rounds > 1 ? fullMilliseconds.long : fullMilliseconds.quick);
    load.phase = 'space again';
    disk.free();
    const freedAt = performance.now();
    recovered.push((await everyWriteSince(load, freedAt)) - freedAt);
  }
  await load.stop();
  for (const line of load.wrong.slice(0, 5)) options.log(line);
  const lost = await countLost(account, load, client);
  const stopped = await service.stop();
  account.close();
  const unexpected = countUnexpected(load);
  return {
    figures: {
      'times full': options.rounds,
      'writes while full': text(load.writes.full),
      'reads while full': text(load.reads.full),
      'writes with space': text(sum(load.writes.space, load.writes['space again'])),
      'seconds until every kind of write was answered again, at most': Math.max(...recovered.map(seconds)),
      'answers other than 2xx, 3xx and 503': unexpected,
      'reads that failed': countFailed(load),
      'acknowledged tokens and clients lost': lost,
    },
    holds: unexpected + countFailed(load) + lost + load.wrong.length === 0 && stopped === 0,
  };
}

/** A session whose newest token is refused, and a client that is unknown although its registration was answered. */
async function countLost(account: RunningAccount, load: Load, client: Parameters<typeof refresh>[1]): Promise<number> {
  let lost = 0;
  for (const token of load.sessions) if ((await refresh(account, client, token)).status !== 200) lost += 1;
  for (const registered of load.registered) {
    const { headers, form } = clientAuthentication(registered);
    const { status } = await account.send('POST', '/oauth2/introspect', { headers, form: { ...form, token: 'x' } });
    if (status !== 200) lost += 1;
  }
  return lost;
}

function countUnexpected({ writes, reads }: Load): number {
  const all = [...Object.values(writes), ...Object.values(reads)].flatMap((statuses) => Object.entries(statuses));
  return all.reduce((count, [status, times]) => count + (/^([23]..|503)$/.test(status) ? 0 : times), 0);
}

function countFailed({ reads }: Load): number {
  const all = Object.values(reads).flatMap((statuses) => Object.entries(statuses));
  return all.reduce((count, [status, times]) => count + (status === '200' ? 0 : times), 0);
}

function sum(one: Statuses, other: Statuses): Statuses {
  const both = { ...one };
  for (const [status, times] of Object.entries(other)) both[status] = (both[status] ?? 0) + times;
  return both;
}

function text(statuses: Statuses): string {
  const sorted = Object.entries(statuses).toSorted(([a], [b]) => a.localeCompare(b));
  return sorted.map(([status, times]) => `${times} × ${status}`).join(', ') || 'none';
}

function seconds(milliseconds: number): number {
  return Math.round(milliseconds) / 1000;
}
