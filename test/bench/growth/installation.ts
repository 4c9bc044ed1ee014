/** Accounts of two sizes on one database, filled at once and served by a process each. */

import { cpSync } from 'node:fs';
import { join } from 'node:path';
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
import { atPort, type Filling, type KeptFillings } from './kept-fillings.ts';
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

/** Prepares a database of so many users: the one that was kept, or a new one. */
export type Prepare = (kind: DatabaseKind, users: number) => Promise<Prepared>;

export function createPrepare(kept: KeptFillings | null = null): Prepare {
  const onSqlite = new Map<number, Promise<Filling>>();

  function fillSqlite(users: number): Promise<Filling> {
    const filling = onSqlite.get(users) ?? takeOr('sqlite', users, () => fill(users));
    onSqlite.set(users, filling);
    return filling;
  }

  async function takeOr(kind: DatabaseKind, users: number, make: () => Promise<Filling>): Promise<Filling> {
    const filling = (await kept?.take(kind, users)) ?? (await make());
    if (kept && !kept.has(kind, users)) kept.keep(kind, users, filling.installation, filling.grown);
    return filling;
  }

  return async (kind, users) => {
    if (kind === 'sqlite') return prepared(await fillSqlite(users));
    return prepared(await takeOr(kind, users, async () => copyToPostgres(await fillSqlite(users))));
  };
}

function prepared({ installation, grown }: Filling): Prepared {
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

async function fill(users: number): Promise<Filling> {
  const installation = await install('sqlite');
  return { installation, grown: await runSeeding<Grown>(installation, 'growth/seed.ts', [String(users)]) };
}

/** `gatehouse db copy` takes minutes where filling a second database takes an hour. */
async function copyToPostgres({ installation: source, grown }: Filling): Promise<Filling> {
  const installation = await install('postgres');
  cpSync(join(source.folder, 'data/master.key'), join(installation.folder, 'data/master.key'));
  const { exitCode, stderr } = await installation.run(['db', 'copy', source.databaseUrl, installation.databaseUrl]);
  if (exitCode !== 0) throw new Error(stderr);
  await untilDescribed(installation.databaseUrl);
  return { installation, grown: atPort(grown, installation.port) };
}

function refreshesOf({ host, beside }: Grown, port: number, pid: number): Target {
  const { authorization, tokens } = beside;
  const path = '/oauth2/token';
  return { name: 'beside', kind: 'refresh', ports: [port], host, path, authorization, tokens, pids: [pid] };
}

const patienceMilliseconds = 180_000;

/** A table that has grown by a fifth since its last statistics, or has none. */
const undescribed = `select 1 from pg_stat_user_tables
  where n_live_tup > 1000 and (coalesce(last_autoanalyze, last_analyze) is null or n_mod_since_analyze > n_live_tup / 5)`;

/**
 * Waits until the database has described its large tables to its planner, as the copy does at its end, and the database
 * by itself within a minute or two.
 */
async function untilDescribed(url: string): Promise<void> {
  const deadline = performance.now() + patienceMilliseconds;
  while ((await countRows(url, undescribed)) > 0) {
    if (performance.now() > deadline) throw new Error('PostgreSQL has not described its tables: autovacuum is off');
    await delay(500);
  }
}
