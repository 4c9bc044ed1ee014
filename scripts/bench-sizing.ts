/** `npm run bench -- --sizing`: what one's own users need, and how long requests take on this machine. */

import { readFileSync, writeFileSync } from 'node:fs';
import type { Bench } from '../test/bench/bench.ts';
import { describeMachine } from '../test/bench/machine.ts';
import { measureRequestTimes } from '../test/bench/measure-sqlite.ts';
import type { Measurements } from '../test/bench/scale/fit.ts';
import {
  type RequestTimes,
  type Sizing,
  sizingReport,
  sizingTable,
  usualCores,
  usualMix,
  usualPeak,
} from '../test/bench/scale/sizing.ts';

const measuredFile = new URL('../test/bench/scale/measured.json', import.meta.url);
const timesFile = new URL('../test/bench/scale/request-times.json', import.meta.url);

const text = { type: 'string' } as const;

/** One flag for each kind of request, and those of the machines. */
export const sizingFlags = {
  'sign-ins': text,
  refreshes: text,
  introspections: text,
  userinfos: text,
  'client-tokens': text,
  peak: text,
  cores: text,
} as const;

type Given = { readonly [Flag in keyof typeof sizingFlags]?: string | undefined };

function readMeasurements(): Measurements {
  return JSON.parse(readFileSync(measuredFile, 'utf8')) as Measurements;
}

function readTimes(): RequestTimes {
  return (JSON.parse(readFileSync(timesFile, 'utf8')) as { readonly times: RequestTimes }).times;
}

/** Throws for what is no number, and for a share or a machine that there cannot be. */
function numberOf(given: string | undefined, usual: number, name: string, least: number, most: number): number {
  const value = given === undefined ? usual : Number(given);
  if (given?.trim() !== '' && value >= least && value <= most) return value;
  throw new Error(`--${name} is a number from ${least} to ${most.toLocaleString('en')}`);
}

/** Throws with what is wrong, worded for the caller. */
function sizingOf(users: string, given: Given): Sizing {
  const daily = (name: keyof typeof usualMix) => numberOf(given[name], usualMix[name], name, 0, 1e6);
  return {
    users: numberOf(users, Number.NaN, 'users', 1, 1e10),
    mix: {
      'sign-ins': daily('sign-ins'),
      refreshes: daily('refreshes'),
      introspections: daily('introspections'),
      userinfos: daily('userinfos'),
      'client-tokens': daily('client-tokens'),
    },
    peak: numberOf(given.peak, usualPeak, 'peak', 1 / 24, 1),
    cores: numberOf(given.cores, usualCores, 'cores', 1, 256),
  };
}

/** Prints what the users need; returns the exit code. */
export function printSizing(users: string, given: Given): number {
  try {
    process.stdout.write(`${sizingReport(readMeasurements(), readTimes(), sizingOf(users, given))}\n`);
    return 0;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    return 2;
  }
}

/** Measures on this machine what each request takes, and keeps it; answers the table of docs/performance.md. */
export async function keepRequestTimes(bench: Bench): Promise<string> {
  const machine = describeMachine(bench.folder);
  const times = await measureRequestTimes(bench);
  writeFileSync(timesFile, `${JSON.stringify({ machine, times }, null, 2)}\n`);
  bench.close();
  return `${sizingTable(readMeasurements(), times)}\n`;
}
