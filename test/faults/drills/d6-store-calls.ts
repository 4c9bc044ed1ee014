import type { DatabaseKind } from '../../support/stores.ts';
import { type Drill, type DrillOptions, type DrillResult, onEachDatabase } from '../drill.ts';
import { findDatabaseFaults } from '../half-applied.ts';
import { allOperations } from '../store-call-operations.ts';
import { failEachCall, openApp } from '../store-calls.ts';

/** D6: each call of the store fails once, in every operation; `store-calls.test.ts` runs the same for `npm test`. */
export const drill: Drill = {
  id: 'D6',
  title: 'an error in every call of the store: no false success, no partial change, no false revocation',
  rounds: 1,
  quickRounds: 1,
  run: (options) => onEachDatabase((database) => runOn(database, options)),
};

async function runOn(database: DatabaseKind, { rounds, log }: DrillOptions): Promise<DrillResult> {
  const app = await openApp(database);
  try {
    const lies: string[] = [];
    let points = 0;
    for (let round = 0; round < rounds; round += 1) {
      for (const operation of allOperations) {
        const result = await failEachCall(app, operation, { reads: () => true });
        points += result.points.length;
        lies.push(...result.lies);
      }
    }
    const { halfApplied, doubled, damage } = await findDatabaseFaults(app.url);
    for (const line of [...lies, ...halfApplied, ...doubled, ...damage]) log(`${database}: ${line}`);
    return {
      figures: {
        operations: allOperations.length,
        'injection points': points,
        lies: lies.length,
        'half applied': halfApplied.length,
        doubled: doubled.length,
      },
      holds: [lies, halfApplied, doubled, damage].every(({ length }) => length === 0),
    };
  } finally {
    await app.dispose();
  }
}
