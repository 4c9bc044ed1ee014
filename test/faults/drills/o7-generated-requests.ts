/** O7: requests at random, right ones and ones with one thing wrong, in the numbers that prove it. */

import assert from 'node:assert/strict';
import { unfitForManagement, whole } from '../../properties/amounts.ts';
import { type FaultKind, faultKinds } from '../../properties/fault.ts';
import { missingStatuses, sendFaulty, sendFitting } from '../../properties/generated-requests.ts';
import { managing, type Operation, operationsOf, using } from '../../properties/operations.ts';
import { lanes, type Run, startRun } from '../../properties/run.ts';
import { readSeed } from '../../properties/seed.ts';
import type { Drill, DrillOptions, DrillResult } from '../drill.ts';

/** What is asked by itself, on a database of its own. */
interface Part {
  readonly surfaces: readonly string[];
  /** How many requests it gets at least. */
  readonly fewest: number;
  /** Kinds of faults that its operations have nothing for. */
  readonly without: readonly FaultKind[];
}

const signIn = ['oauth2', 'pages'];

/** Management's requests delete what others are about; what signs in needs both its surfaces; the others stand alone. */
const parts: readonly Part[] = [
  { surfaces: managing, fewest: 20_000, without: unfitForManagement },
  { surfaces: signIn, fewest: 50_000, without: [] },
  ...using
    .filter((surface) => !signIn.includes(surface))
    .map((surface) => ({ surfaces: [surface], fewest: 20_000, without: faultKinds })),
];

/** Of one operation and one lane; more are sent by several, with seeds of their own. */
const mostOfLane = 500;

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
      for (const part of parts) {
        const about = `round ${round}, ${part.surfaces.join(' and ')}`;
        const result = await runPart(part, log);
        log(`${about}: ${JSON.stringify(result)}`);
        for (const [name, value] of Object.entries(result.figures)) figures[`${about}: ${name}`] = value;
        holds &&= result.holds;
      }
    }
    return { figures, holds };
  },
};

async function runPart(part: Part, log: DrillOptions['log']): Promise<DrillResult> {
  const seed = readSeed();
  const operations = operationsOf(part.surfaces);
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
    const trails = await run.verifyTrails();
    const figures = {
      seed,
      ...figuresOf(run, operations),
      'properties that failed': broken.length,
      'events in the audit trail': trails.reduce((sum, { events }) => sum + events, 0),
      'audit trails that verify': `${trails.filter(({ verified }) => verified).length} of ${trails.length}`,
    };
    const missing = missingStatuses(part.surfaces);
    if (missing.length > 0) log(`documented and never seen: ${missing.join(', ')}`);
    // Those that failed were given up, and count for few requests.
    if (broken.length === 0) assertEnough(run, figures.requests, part);
    const isTrue = trails.every(({ verified }) => verified);
    return { figures, holds: broken.length === 0 && missing.length === 0 && isTrue };
  } finally {
    await run.dispose();
  }
}

/** At least so many requests, as even shares of lanes. */
function inShares(wanted: number, least: number): number[] {
  const all = Math.max(Math.ceil(wanted), least);
  const shares = Math.ceil(all / mostOfLane);
  return Array.from({ length: shares }, () => Math.ceil(all / shares));
}

/** The proof: requests in number, each operation 200 times right and 200 times wrong, each kind of fault somewhere. */
function assertEnough({ tallies }: Run, requests: number, { fewest, without }: Part): void {
  assert.ok(requests >= fewest, `only ${requests} requests were sent`);
  const rare = [...tallies].filter(([, tally]) => tally.passed < 200 || tally.wrong < 200).map(([name]) => name);
  assert.deepEqual(rare, [], 'operations that passed or were refused fewer than 200 times');
  const tried = new Set([...tallies.values()].flatMap(({ kinds }) => [...kinds.keys()]));
  assert.deepEqual(
    faultKinds.filter((one) => !tried.has(one) && !without.includes(one)),
    [],
    'kinds of faults that never occurred',
  );
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
