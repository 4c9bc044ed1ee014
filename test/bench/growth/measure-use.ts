/** One operation at both sizes, and what others notice of it at the larger one. */

import { operationOf } from '../../support/conforms.ts';
import type { TimedAnswer } from '../../support/wire.ts';
import { median } from '../series.ts';
import { type Beside, type Noticed, worstOf } from './beside.ts';
import type { Caller } from './caller.ts';
import type { Served } from './installation.ts';
import type { Use } from './operations.ts';

/** Of each, in alternation; before them so many that are not counted, while its code gets compiled. */
const turns = 15;
const warmUps = 3;
/** A busy machine looks slow for a moment: what missed is measured longer before it is believed. */
const mostTurns = 60;
/** So long at least, for others to notice it; and a use that takes long is asked for less often. */
const leastMilliseconds = 500;
const mostMilliseconds = 4_000;

/** Of the larger account against the smaller one. */
const mostRatio = 2;
/**
 * What is forgiven beside the ratio: a commit waits for the disk for so long now and then, and a median of under a
 * millisecond doubles by a few of those.
 */
const forgivenMilliseconds = 1;

export interface Measured {
  readonly use: Use;
  /** Median milliseconds; NaN when a request failed. */
  readonly few: number;
  readonly many: number;
  readonly failure: string | null;
  readonly noticed: Noticed;
}

export const ratioOf = ({ few, many }: Measured): number => many / few;

/** Null where no bound holds it. */
export function holds(measured: Measured): boolean | null {
  if (measured.failure !== null) return false;
  return measured.use.grows === undefined ? isBounded(measured.few, measured.many) : null;
}

/** Whether an operation's times in milliseconds with few users and with many are within the limit. */
export const isBounded = (few: number, many: number) => many <= mostRatio * few + forgivenMilliseconds;

/** Prepares and sends one request, and takes away what it made; answers what was sent and what came. */
export async function askOnce(
  caller: Caller,
  use: Use,
): Promise<{ readonly path: string; readonly answer: TimedAnswer }> {
  const { path, sent } = await use.prepare(caller);
  if (operationOf(use.method, path)?.operation.operationId !== use.operation) {
    throw new Error(`${use.method} ${path} is not ${use.operation}`);
  }
  const answer = await caller.call(use.method, path, sent);
  await use.undo?.(caller, answer);
  return { path, answer };
}

async function timeOnce(caller: Caller, use: Use): Promise<number> {
  const { answer } = await askOnce(caller, use);
  return answer.answeredAt - answer.calledAt;
}

async function compare(few: Served, many: Served, use: Use): Promise<{ readonly few: number; readonly many: number }> {
  const times: { few: number[]; many: number[] } = { few: [], many: [] };
  const startedAt = performance.now();
  for (let turn = -warmUps; ; turn += 1) {
    const [slow, fast] = [await timeOnce(many, use), await timeOnce(few, use)];
    const passed = performance.now() - startedAt;
    const isLate = passed > mostMilliseconds;
    if (turn < 0 && !isLate) continue;
    times.many.push(slow);
    times.few.push(fast);
    const done = turn + 1;
    if (!isLate && (done < turns || passed < leastMilliseconds)) continue;
    const medians = { few: median(times.few), many: median(times.many) };
    const isSettled = use.grows !== undefined || isBounded(medians.few, medians.many);
    if (isLate || isSettled || done >= mostTurns) return medians;
  }
}

export async function measureUse(few: Served, many: Served, beside: Beside, use: Use): Promise<Measured> {
  await beside.take();
  try {
    const medians = await compare(few, many, use);
    return { use, ...medians, failure: null, noticed: await beside.take() };
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error);
    return { use, few: Number.NaN, many: Number.NaN, failure, noticed: await beside.take() };
  }
}

/** `12.3 against 11.9 ms, refresh p99 14.1, /healthz 9.0` */
export function describe({ few, many, failure, noticed }: Measured): string {
  if (failure !== null) return failure;
  const { refresh, healthz } = worstOf(noticed);
  const [one, other] = [many.toFixed(1), few.toFixed(1)];
  return `${one} against ${other} ms, refresh p99 ${refresh.toFixed(0)}, /healthz ${healthz.toFixed(0)}`;
}
