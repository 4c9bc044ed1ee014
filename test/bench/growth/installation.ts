/** Accounts of two sizes on one database, filled at once and served by a process each. */

import { setTimeout as delay } from 'node:timers/promises';
import { install } from '../../support/process.ts';
import { countRows } from '../../support/rows.ts';
import type { DatabaseKind } from '../../support/stores.ts';
import { openWire } from '../../support/wire.ts';
import { runSeeding, startProcess } from '../gatehouse.ts';
import { endChild } from '../servers.ts';
import type { Target } from '../target.ts';
import { type Beside, startBeside } from './beside.ts';
import { type Caller, createCaller } from './caller.ts';
import type { Filling, KeptFillings } from './kept-fillings.ts';
import type { Grown } from './seed.ts';

/** A filled database that nothing serves yet. */
export interface Prepared {
  serve(): Promise<Served>;
  dispose(): Promise<void>;
}

export interface Served extends Caller {
  startBeside(): Beside;
  /** How many rows the statement finds, past the service. */
  rowsOf(statement: string): Promise<number>;
  stop(): Promise<void>;
}

/** Fills a database, or takes the one that was kept. */
export async function prepare(kind: DatabaseKind, users: number, kept: KeptFillings | null = null): Promise<Prepared> {
  const { installation, grown } = (await kept?.take(kind, users)) ?? (await fill(kind, users));
  if (kept && !kept.has(kind, users)) kept.keep(kind, users, installation, grown);
  return {
    serve: async () => {
      const { child, port } = await startProcess(installation);
      const wire = openWire({ port, host: grown.host, connections: 1 });
      return {
        ...createCaller(wire, grown),
        startBeside: () => startBeside(refreshesOf(grown, port, child.pid ?? 0)),
        rowsOf: (statement) => countRows(installation.databaseUrl, statement),
        stop: async () => {
          wire.close();
          await endChild(child, 'SIGTERM');
        },
      };
    },
    dispose: installation.dispose,
  };
}

async function fill(kind: DatabaseKind, users: number): Promise<Filling> {
  const installation = await install(kind);
  const grown = await runSeeding<Grown>(installation, 'growth/seed.ts', [String(users)]);
  if (kind === 'postgres') await untilDescribed(installation.databaseUrl);
  return { installation, grown };
}

function refreshesOf({ host, beside }: Grown, port: number, pid: number): Target {
  const { authorization, tokens } = beside;
  const path = '/oauth2/token';
  return { name: 'beside', kind: 'refresh', ports: [port], host, path, authorization, tokens, pids: [pid] };
}

const patienceMilliseconds = 180_000;

/** A table that has grown by a fifth since its last statistics, or has none. */
const undescribed = `select 1 from pg_stat_user_tables
  where n_live_tup > 1000 and (last_autoanalyze is null or n_mod_since_analyze > n_live_tup / 5)`;

/**
 * Waits until the database has described its large tables to its planner, which it does by itself within a minute or
 * two.
 */
async function untilDescribed(url: string): Promise<void> {
  const deadline = performance.now() + patienceMilliseconds;
  while ((await countRows(url, undescribed)) > 0) {
    if (performance.now() > deadline) throw new Error('PostgreSQL has not described its tables: autovacuum is off');
    await delay(500);
  }
}
