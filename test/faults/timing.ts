/** Times of interleaved requests, and whether their populations can be distinguished. */

import { areaUnderCurve, mean, welchT } from '../support/statistics.ts';
import type { TimedAnswer } from '../support/wire.ts';
import type { DrillResult } from './drill.ts';

/** Two populations count as not separable inside these bounds. */
const closest = { least: 0.45, most: 0.55 };
const warmUpRounds = 50;

/** One request; answers how many milliseconds it took. */
export type Shot = () => Promise<number>;

/** The time of an answer. */
export function duration({ calledAt, answeredAt }: TimedAnswer): number {
  return answeredAt - calledAt;
}

/** Milliseconds of each population's shots, one of each per round in random order. */
export async function measure(
  shots: Readonly<Record<string, Shot>>,
  rounds: number,
): Promise<Record<string, number[]>> {
  const names = Object.keys(shots);
  const times: Record<string, number[]> = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = -Math.min(warmUpRounds, rounds); round < rounds; round += 1) {
    for (const name of shuffled(names)) {
      const time = (await shots[name]?.()) ?? Number.NaN;
      if (round >= 0) times[name]?.push(time);
    }
  }
  return times;
}

/** Figures of each pair of populations; passes when none can be distinguished. */
export function judge(
  times: Readonly<Record<string, readonly number[]>>,
  pairs: readonly (readonly [string, string])[],
): DrillResult {
  const figures: Record<string, number | string> = {};
  let holds = true;
  for (const [name, values] of Object.entries(times)) figures[`${name}: mean, ms`] = round(mean(values));
  for (const [first, second] of pairs) {
    const a = times[first] ?? [];
    const b = times[second] ?? [];
    const area = areaUnderCurve(a, b);
    figures[`${first} / ${second}: AUC`] = round(area);
    figures[`${first} / ${second}: Welch t`] = round(welchT(a, b));
    holds &&= area >= closest.least && area <= closest.most;
  }
  return { figures, holds };
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}

function shuffled<T>(values: readonly T[]): T[] {
  return values
    .map((value) => ({ value, at: Math.random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ value }) => value);
}
