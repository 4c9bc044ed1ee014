/** Every operation of the contracts in an account that has grown, and what others notice meanwhile. */

import { spawnSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { serverVariable, startPostgres } from '../../support/postgres.ts';
import type { DatabaseKind } from '../../support/stores.ts';
import { makeDurable } from '../measure-postgres.ts';
import { type Deletion, measureDeletions } from './deletions.ts';
import { createPrepare, type Prepare, type Prepared } from './installation.ts';
import { openKeptFillings } from './kept-fillings.ts';
import { describe, holds, type Measured, measureUse } from './measure-use.ts';
import { allUses } from './operations.ts';

export interface GrowthPlan {
  readonly users: number;
  readonly databases: readonly DatabaseKind[];
  /** Measures only the uses and deletions whose names match. */
  readonly only: RegExp;
  /** Where filled databases are kept for the next run; null: nowhere. */
  readonly filled: string | null;
}

/** The account size that others are compared with. */
export const fewUsers = 1_000;

export interface Grew {
  readonly kind: DatabaseKind;
  readonly users: number;
  readonly measured: readonly Measured[];
  readonly deletions: readonly Deletion[];
}

interface Pair {
  readonly kind: DatabaseKind;
  /** Of the larger account. */
  readonly users: number;
  readonly few: Prepared;
  readonly many: Prepared;
}

async function preparePair(kind: DatabaseKind, users: number, prepare: Prepare): Promise<Pair> {
  const [few, many] = await Promise.all([prepare(kind, fewUsers), prepare(kind, users)]);
  return { kind, users, few, many };
}

const settleMilliseconds = 3_000;

async function measurePair({ kind, users, ...pair }: Pair, only: RegExp, log: (line: string) => void): Promise<Grew> {
  const [few, many] = [await pair.few.serve(), await pair.many.serve()];
  const beside = many.startBeside();
  // Warm-up while its code is compiled, which is not part of any operation.
  await delay(settleMilliseconds);
  const measured: Measured[] = [];
  try {
    for (const use of allUses().filter(({ name }) => only.test(name))) {
      const one = await measureUse(few, many, beside, use);
      measured.push(one);
      log(`${kind}, ${use.name}: ${describe(one)}${holds(one) === false ? ', MISSED' : ''}`);
    }
    const deletions = await measureDeletions(many, beside, only, (line) => log(`${kind}, ${line}`));
    return { kind, users, measured, deletions };
  } finally {
    beside.stop();
    await few.stop();
    await many.stop();
    await pair.few.dispose();
    await pair.many.dispose();
  }
}

/** Fills all databases at once and measures one after the other. */
export async function measureGrowth(
  { users, databases, only, filled }: GrowthPlan,
  log: (line: string) => void,
): Promise<Grew[]> {
  const kept = filled === null ? null : openKeptFillings(filled);
  const postgres = databases.includes('postgres') ? (kept?.startPostgres() ?? startPostgres()) : null;
  if (postgres) process.env[serverVariable] = postgres.url;
  try {
    log(`filling accounts of ${fewUsers} and ${users} users on ${databases.join(' and ')}`);
    const prepare = createPrepare(kept);
    const pairs = await Promise.all(databases.map((kind) => preparePair(kind, users, prepare)));
    if (postgres) {
      await kept?.keepPostgres(postgres.url);
      // Only what is measured waits for the disk.
      await makeDurable();
    }
    // What filling or copying left to be written would be measured as well.
    spawnSync('sync');
    const grew: Grew[] = [];
    for (const pair of pairs) grew.push(await measurePair(pair, only, log));
    return grew;
  } finally {
    await postgres?.stop();
    delete process.env[serverVariable];
  }
}
