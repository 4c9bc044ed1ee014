/** O7: requests at random, right ones and ones with one thing wrong, in the numbers that prove it. */

import { unfitForManagement, whole } from '../../properties/amounts.ts';
import type { FaultKind } from '../../properties/fault.ts';
import { assertEnough, missingStatuses, sendFaulty, sendFitting } from '../../properties/generated-requests.ts';
import { managing, type Operation, operationsOf, using } from '../../properties/operations.ts';
import { lanes, type Run, startRun } from '../../properties/run.ts';
import { readSeed } from '../../properties/seed.ts';
import type { Drill, DrillOptions, DrillResult } from '../drill.ts';

/** Management is asked by itself: its requests delete what others are about. */
const parts = [
  { what: 'management', surfaces: managing, without: unfitForManagement },
  { what: 'others', surfaces: using, without: [] },
] as const;

export const drill: Drill = {
  id: 'O7',
  title: 'every surface answers as documented whatever it is asked',
  rounds: 1,
  // The tests of properties send fewer of the same, on both databases.
  quickRounds: null,
  run: async ({ rounds, log }) => {
    const figures: Record<string, number | string> = {};
    let holds = true;
    for (let round = 1; round <= rounds; round += 1) {
      for (const { what, surfaces, without } of parts) {
        const result = await runRound(surfaces, without, log);
        for (const [name, value] of Object.entries(result.figures)) figures[`round ${round}, ${what}: ${name}`] = value;
        holds &&= result.holds;
      }
    }
    return { figures, holds };
  },
};

async function runRound(
  surfaces: readonly string[],
  without: readonly FaultKind[],
  log: DrillOptions['log'],
): Promise<DrillResult> {
  const seed = readSeed();
  const operations = operationsOf(surfaces);
  const run = await startRun('sqlite', seed, operations);
  const broken: string[] = [];
  const note = (error: unknown) => {
    broken.push(error instanceof Error ? error.message : String(error));
    log(String(error instanceof Error ? (error.cause ?? error) : error).slice(0, 4000));
  };
  try {
    const jobs = operations.flatMap((operation) => [
      () => sendFitting(run, operation, whole.valid, seed).catch(note),
      () => sendFaulty(run, operation, whole.wrong, seed).catch(note),
    ]);
    await inLanes(jobs);
    const trails = await run.verifyTrails();
    const figures = {
      seed,
      ...figuresOf(run, operations),
      'properties that failed': broken.length,
      'events in the audit trail': trails.reduce((sum, { events }) => sum + events, 0),
      'audit trails that verify': `${trails.filter(({ verified }) => verified).length} of ${trails.length}`,
    };
    const missing = missingStatuses(surfaces);
    if (missing.length > 0) log(`documented and never seen: ${missing.join(', ')}`);
    // Those that failed were given up, and count for few requests.
    if (broken.length === 0) assertEnough(run, figures.requests, without);
    const isTrue = trails.every(({ verified }) => verified);
    return { figures, holds: broken.length === 0 && missing.length === 0 && isTrue };
  } finally {
    await run.dispose();
  }
}

async function inLanes(jobs: (() => Promise<void>)[]): Promise<void> {
  const lane = async () => {
    for (let job = jobs.shift(); job; job = jobs.shift()) await job();
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

function figuresOf({ tallies }: Run, operations: readonly Operation[]) {
  const all = [...tallies.values()];
  const sum = (of: (tally: (typeof all)[number]) => number) => all.reduce((total, tally) => total + of(tally), 0);
  const requests = sum(({ valid, wrong }) => valid + wrong);
  const failures = sum(({ statuses }) =>
    [...statuses].reduce((n, [status, times]) => n + (status >= 500 ? times : 0), 0),
  );
  const passed = sum((tally) => tally.passed);
  return {
    operations: operations.length,
    requests,
    '% that passed validation': Math.round((1000 * passed) / requests) / 10,
    'fewest that passed, of one operation': Math.min(...all.map((tally) => tally.passed)),
    'fewest with one thing wrong, of one operation': Math.min(...all.map(({ wrong }) => wrong)),
    'answers of 500 and above': failures,
  };
}
