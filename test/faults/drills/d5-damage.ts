import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../../../src/store/knex/index.ts';
import type { Store } from '../../../src/store/store.ts';
import { newCast, newGrant, unique } from '../../store/samples.ts';
import { accidents, copyAsKilled } from '../damage.ts';
import type { Drill, DrillOptions, DrillResult } from '../drill.ts';

/** D5: accidents to the files of an SQLite database, each on a copy of what a killed process left. */
export const drill: Drill = {
  id: 'D5',
  title: 'overwritten pages, truncated files and logs: found at the start or by doctor, never an empty database',
  rounds: 200,
  // `damage.test.ts` has each kind of damage once.
  quickRounds: null,
  run,
};

async function run({ rounds, log }: DrillOptions): Promise<DrillResult> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-damage-'));
  const original = join(folder, 'original.db');
  const store = await openStore({ url: `sqlite:${original}` });
  try {
    const accounts = await fill(store);
    const figures: Record<string, string> = {};
    const undetected: string[] = [];
    for (const [title, damage] of Object.entries(accidents)) {
      const outcomes: Outcome[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const copy = join(folder, 'copy.db');
        for (const suffix of ['', '-wal', '-shm']) rmSync(copy + suffix, { force: true });
        copyAsKilled(original, copy);
        damage(copy);
        outcomes.push(await examine(copy, accounts));
      }
      const count = (outcome: Outcome) => outcomes.filter((one) => one === outcome).length;
      figures[title] =
        `${rounds - count('lost')} of ${rounds} detected or harmless: ` +
        `${count('refused')} at the start, ${count('found')} by doctor, ${count('harmless')} without loss`;
      if (count('lost') > 0) undetected.push(title);
    }
    for (const title of undetected) log(`not detected: ${title}`);
    return { figures, holds: undetected.length === 0 };
  } finally {
    await store.close();
    rmSync(folder, { recursive: true });
  }
}

/** Rows of most kinds, a part of them only in the log. */
async function fill(store: Store): Promise<number> {
  await store.migrate();
  for (let count = 0; count < 100; count += 1) {
    const cast = await newCast(store);
    await newGrant(store, cast);
    await store.facts.keep(unique(), 'x'.repeat(500));
  }
  return (await store.accounts.list()).length;
}

type Outcome = 'refused' | 'found' | 'harmless' | 'lost';

async function examine(file: string, accounts: number): Promise<Outcome> {
  const store = await openStore({ url: `sqlite:${file}`, create: false }).catch(() => null);
  if (!store) return 'refused';
  try {
    const { applied, pending } = await store.status();
    if (applied.length === 0 || pending.length > 0) return 'lost';
    if ((await store.findDamage()).length > 0) return 'found';
    return (await store.accounts.list()).length === accounts ? 'harmless' : 'lost';
  } catch {
    return 'found';
  } finally {
    await store.close();
  }
}
