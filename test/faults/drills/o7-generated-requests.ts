/** O7: requests at random, right ones and ones with one thing wrong, in the numbers that prove it. */

import { whole } from '../../properties/amounts.ts';
import { type FaultKind, faultKinds } from '../../properties/fault.ts';
import { missingStatuses, operationsFor, sendFaulty, sendFitting } from '../../properties/generated-requests.ts';
import { type Callers, managing, type Operation, using } from '../../properties/operations.ts';
import { lanes, type Run, startRun } from '../../properties/run.ts';
import { drawSeed } from '../../properties/seed.ts';
import type { Drill, DrillOptions, DrillResult } from '../drill.ts';

/** What is asked by itself, on its own database. */
interface Part {
  readonly surfaces: readonly string[];
  readonly callers?: Callers;
  /** How many requests it gets at least. */
  readonly fewest: number;
}

const signIn = ['oauth2', 'pages'];

/**
 * Management's requests delete what others are about; what signs in needs both its surfaces; the others stand alone.
 */
const parts: readonly Part[] = [
  { surfaces: managing, fewest: 20_000 },
  { surfaces: managing, callers: 'administrators', fewest: 20_000 },
  { surfaces: signIn, fewest: 60_000 },
  ...using.filter((surface) => !signIn.includes(surface)).map((surface) => ({ surfaces: [surface], fewest: 20_000 })),
];

/** Of one operation and one lane; more are sent by several, with seeds of their own. */
const mostOfLane = 500;

export const drill: Drill = {
  id: 'O7',
  title: 'every surface answers every request as documented',
  rounds: 1,
  // The tests of properties send fewer of the same, on both databases.
  quickRounds: null,
  run: async ({ rounds, log }) => {
    const figures: Record<string, number | string> = {};
    let holds = true;
    for (let round = 1; round <= rounds; round += 1) {
      const tried = new Set<FaultKind>();
      for (const part of parts) {
        const about = `round ${round}, ${part.surfaces.join(' and ')} by ${part.callers ?? 'programs'}`;
        const result = await runPart(part, tried, log);
        log(`${about}: ${JSON.stringify(result)}`);
        for (const [name, value] of Object.entries(result.figures)) figures[`${about}: ${name}`] = value;
        holds &&= result.holds;
      }
      const untried = faultKinds.filter((kind) => !tried.has(kind));
      if (untried.length > 0) log(`kinds of faults that never occurred: ${untried.join(', ')}`);
      holds &&= untried.length === 0;
    }
    return { figures, holds };
  },
};

/** Adds the kinds of faults that occurred to `tried`. */
async function runPart(part: Part, tried: Set<FaultKind>, log: DrillOptions['log']): Promise<DrillResult> {
  const seed = drawSeed();
  const operations = operationsFor(part.surfaces, part.callers ?? 'programs');
  const run = await startRun('sqlite', seed, operations);
  const broken: string[] = [];
  const note = (error: unknown) => {
    broken.push(error instanceof Error ? error.message : String(error));
    log(String(error instanceof Error ? (error.cause ?? error) : error).slice(0, 4000));
  };
  try {
    const share = part.fewest / (whole.valid + whole.wrong) / operations.length;
    const jobs = operations.flatMap((operation) => [
      ...inShares(whole.valid * share, whole.valid).map(
        (runs, index) => () => sendFitting(run, operation, runs, seed + index).catch(note),
      ),
      ...inShares(whole.wrong * share, whole.wrong).map(
        (runs, index) => () => sendFaulty(run, operation, runs, seed + index).catch(note),
      ),
    ]);
    await inLanes(jobs);
    let sentAgain: number | string = 'too many';
    try {
      sentAgain = run.assertFewSentAgain();
    } catch (error) {
      note(error);
    }
    const trails = await run.verifyTrails();
    const figures = {
      seed,
      ...figuresOf(run, operations),
      'requests sent again': sentAgain,
      'properties that failed': broken.length,
      'events in the audit trail': trails.reduce((sum, { events }) => sum + events, 0),
      'audit trails that verify': `${trails.filter(({ verified }) => verified).length} of ${trails.length}`,
    };
    for (const { kinds } of run.tallies.values()) for (const kind of kinds.keys()) tried.add(kind);
    const missing = missingStatuses(part.surfaces);
    if (missing.length > 0) log(`documented and never seen: ${missing.join(', ')}`);
    const rare = [...run.tallies].filter(([, { passed, wrong }]) => passed < 200 || wrong < 200).map(([name]) => name);
    if (rare.length > 0) log(`passed or refused fewer than 200 times: ${rare.join(', ')}`);
    const isEnough = figures.requests >= part.fewest && figures['% that passed validation'] >= 30;
    const isTrue = trails.every(({ verified }) => verified) && figures['answers of 500 and above'] === 0;
    return { figures, holds: broken.length + missing.length + rare.length === 0 && isEnough && isTrue };
  } finally {
    await run.dispose();
  }
}

/** Minimum number of requests, in equal shares per lane. */
function inShares(wanted: number, least: number): number[] {
  const all = Math.max(Math.ceil(wanted), least);
  const shares = Math.ceil(all / mostOfLane);
  return Array.from({ length: shares }, () => Math.ceil(all / shares));
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
