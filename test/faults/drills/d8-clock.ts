import { findAnomalies, moves } from '../clock.ts';
import { type Drill, type DrillOptions, type DrillResult, onEachDatabase } from '../drill.ts';

/** D8: the clock is put ahead and back, through changes of summer time and past 2038. */
export const drill: Drill = {
  id: 'D8',
  title: 'the clock jumps: nothing lives forever or ends too early, lockouts and grace periods end',
  rounds: 5,
  quickRounds: 1,
  quickDatabases: ['sqlite'],
  run: (options) =>
    onEachDatabase(async (database): Promise<DrillResult> => {
      const figures: Record<string, number> = {};
      // Among other tests the first two: ahead, and back.
      const tried = options.amongTests ? moves.slice(0, 2) : moves;
      for (const move of tried) figures[`anomalies, ${move.title}`] = await countAnomalies(options, database, move);
      return { figures, holds: Object.values(figures).every((count) => count === 0) };
    }, options.databases),
};

async function countAnomalies(
  { rounds, log }: DrillOptions,
  ...given: Parameters<typeof findAnomalies>
): Promise<number> {
  let count = 0;
  for (let round = 0; round < rounds; round += 1) {
    const anomalies = await findAnomalies(...given);
    for (const anomaly of anomalies) log(`${given[0]}, ${given[1].title}: ${anomaly}`);
    count += anomalies.length;
  }
  return count;
}
