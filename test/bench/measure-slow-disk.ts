/** Refreshes and registrations on a disk that takes 2 ms for a flush, as many disks of clouds do. */

import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { postgresUrl } from '../support/postgres.ts';
import { type Bench, contestant } from './bench.ts';
import { prepareGatehouse } from './gatehouse.ts';
import { type Line, rateLine } from './lines.ts';
import { onPostgres } from './measure-postgres.ts';
import { slowFlushMilliseconds } from './plan.ts';
import { median, type Series } from './series.ts';
import { startFloor, startOidcProvider } from './servers.ts';

/** For every server on SQLite alike. */
const flags = ['--import', new URL('slow-disk.ts', import.meta.url).href];

export async function measureSlowDisk(bench: Bench): Promise<Line[]> {
  return [...(await measureOnSqlite(bench)), ...(await measureOnPostgres(bench))];
}

async function measureOnSqlite(bench: Bench): Promise<Line[]> {
  const { plan, folder } = bench;
  bench.log('starting the servers');
  const [prepared, floor, durable] = await Promise.all([
    prepareGatehouse('SQLite, FULL', 'sqlite', plan.users),
    startFloor(folder, plan.users, flags),
    startOidcProvider('sqlite', folder, plan.users, flags),
  ]);
  const gatehouse = await prepared.serve({ flags });
  try {
    const refreshing = [gatehouse, floor, durable].map((server) => contestant(server, 'refresh'));
    const [own, least, peer] = (await bench.alternate(plan.other, refreshing)) as [Series, Series, Series];
    const registering = [gatehouse, durable].map((server) => contestant(server, 'registration'));
    const [registered, peers] = (await bench.alternate(plan.other, registering)) as [Series, Series];
    return [
      rateLine('slow/refresh-floor', own, least, false),
      rateLine('slow/refresh-durable', own, peer, false),
      rateLine('slow/registration-durable', registered, peers, false),
    ];
  } finally {
    for (const server of [gatehouse, floor, durable]) await server.stop();
    await prepared.dispose();
  }
}

function measureOnPostgres(bench: Bench): Promise<Line[]> {
  return onPostgres(bench, 1, async ({ server, floor }) => {
    await slowDown();
    const refreshing = [server, floor].map((one) => contestant(one, 'refresh'));
    const [own, least] = (await bench.alternate(bench.plan.other, refreshing)) as [Series, Series];
    return [rateLine('slow/postgres-floor', own, least, false)];
  });
}

/** Who flushes the log waits before that, and all others wait for it. */
async function slowDown(): Promise<void> {
  const client = new pg.Client({ connectionString: postgresUrl() });
  await client.connect();
  try {
    await client.query(`alter system set commit_delay to ${slowFlushMilliseconds * 1000}`);
    // However few transactions are open.
    await client.query('alter system set commit_siblings to 0');
    await client.query('select pg_reload_conf()');
    // Settings that were reloaded are in force a moment later.
    await delay(500);
    const times: number[] = [];
    for (let turn = 0; turn < 20; turn += 1) {
      const startedAt = performance.now();
      await client.query("select pg_logical_emit_message(true, 'bench', 'a commit that writes')");
      times.push(performance.now() - startedAt);
    }
    if (median(times) < slowFlushMilliseconds) throw new Error(`commits of PostgreSQL take ${median(times)} ms`);
  } finally {
    await client.end();
  }
}
