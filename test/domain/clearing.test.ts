import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { nextRows, startClearing } from '../../src/domain/clearing.ts';
import type { Log } from '../../src/services.ts';
import type { ClearedSlice, ClearingTurn, FailedSlice } from '../../src/store/removals.ts';

const slice = (isLast: boolean, accountId = 1): ClearedSlice => ({
  kind: 'user',
  accountId,
  rows: isLast ? 30 : 100,
  isLast,
});
const failed = (removalId: number, accountId = 1): FailedSlice => ({
  accountId,
  removalId,
  error: new Error('a damaged page'),
});

/** Clearing of slices that are only counted, and take these milliseconds; an error in their place is thrown. */
function course(slices: (ClearedSlice | FailedSlice | Error)[], milliseconds: number[] = []) {
  let time = 0;
  const limits: number[] = [];
  const lines: string[] = [];
  const note = (event: string) => void lines.push(event);
  const log: Log = { debug: note, info: note, warn: note, error: note };
  const rests: number[] = [];
  const told: string[] = [];
  const turns: ClearingTurn[] = [];
  let idle = Promise.withResolvers<void>();
  const store = {
    clearRemoved: async (limit: number, { after, except }: ClearingTurn) => {
      limits.push(limit);
      time += milliseconds.shift() ?? 4;
      turns.push({ after, except: [...except] });
      const next = slices.shift() ?? null;
      if (next instanceof Error) throw next;
      return next;
    },
    findWaitingRemovals: async () => ({ count: slices.length, since: slices.length > 0 ? 4_000 : null }),
  };
  const clearing = startClearing(
    { store: store as never, clock: { now: () => 10_000 }, log },
    {
      monotonic: () => time,
      report: {
        cleared: (kind, rows) => void told.push(`${kind} ${rows}`),
        waiting: (count, milliseconds) => void told.push(`${count} waiting for ${milliseconds}`),
      },
      rest: async (milliseconds, signal) => {
        rests.push(milliseconds);
        if (milliseconds < 1000) return;
        const woken = Promise.withResolvers<void>();
        signal.addEventListener('abort', () => woken.resolve());
        if (signal.aborted) woken.resolve();
        idle.resolve();
        idle = Promise.withResolvers();
        await woken.promise;
      },
    },
  );
  return { clearing, lines, limits, rests, told, turns, slices, settled: () => idle.promise };
}

describe('clearing what was removed', () => {
  it('runs from startup until nothing waits, rests after each slice, and reports progress', async () => {
    const run = course([slice(false), slice(false), slice(true)]);
    await run.settled();
    const kinds = ['user', 'app', 'role', 'attribute', 'api', 'access', 'api_link'].map((kind) => `${kind} 0`);
    assert.deepEqual(run.told, [
      ...kinds,
      'user 100',
      '2 waiting for 6000',
      'user 100',
      'user 30',
      '0 waiting for 0',
      '0 waiting for 0',
    ]);
    assert.deepEqual(run.rests, [8, 8, 8, 60_000]);
    await run.clearing.stop();
  });

  it('aims at slices of a few milliseconds, by the number of their rows', () => {
    assert.deepEqual(
      [0.5, 2, 4, 8, 9, 500].map((milliseconds) => nextRows(100, milliseconds)),
      [200, 200, 100, 100, 50, 50],
    );
    assert.equal(nextRows(800, 1), 800);
    assert.equal(nextRows(25, 90), 25);
  });

  it('asks for fewer rows after a slow slice, and for more after a quick one that had as many as asked for', async () => {
    const run = course(
      Array.from({ length: 6 }, () => slice(false)),
      [9, 9, 9, 1, 1, 1],
    );
    await run.settled();
    assert.deepEqual(run.limits, [100, 50, 25, 25, 50, 100, 200]);
    await run.clearing.stop();
  });

  it('checks again when woken, also while it is working', async () => {
    const run = course([]);
    await run.settled();
    run.slices.push(slice(true));
    const settled = run.settled();
    run.clearing.wake();
    await settled;
    assert.deepEqual(run.slices, []);
    await run.clearing.stop();
  });

  it('reports a failure and continues later', async () => {
    const run = course([new Error('the database is away'), slice(true)]);
    await run.settled();
    assert.deepEqual(run.lines, ['clearing what was removed failed']);
    assert.equal(run.slices.length, 1);
    const settled = run.settled();
    run.clearing.wake();
    await settled;
    assert.deepEqual(run.slices, []);
    await run.clearing.stop();
  });

  it('takes accounts in turn, also across rounds', async () => {
    const run = course([slice(false, 1), slice(true, 5)]);
    await run.settled();
    const settled = run.settled();
    run.clearing.wake();
    await settled;
    assert.deepEqual(
      run.turns.map(({ after }) => after),
      [0, 1, 5, 5],
    );
    await run.clearing.stop();
  });

  it('continues with the others when one removal fails, and retries it in the next round', async () => {
    const run = course([failed(11), slice(false), failed(12, 3), slice(true)]);
    await run.settled();
    assert.deepEqual(run.slices, []);
    assert.deepEqual(run.lines, Array(2).fill('clearing what was removed failed'));
    assert.deepEqual(
      run.turns.map(({ except }) => except),
      [[], [11], [11], [11, 12], [11, 12]],
    );
    assert.deepEqual(
      run.turns.map(({ after }) => after),
      [0, 1, 1, 3, 1],
    );
    const settled = run.settled();
    run.clearing.wake();
    await settled;
    assert.deepEqual(run.turns.at(-1)?.except, []);
    await run.clearing.stop();
  });

  it('rests when everything fails', async () => {
    const run = course(Array.from({ length: 150 }, (_, at) => failed(at)));
    await run.settled();
    assert.equal(run.slices.length, 50);
    await run.clearing.stop();
  });

  it('starts no slice after it is stopped', async () => {
    const run = course([slice(false), slice(false), slice(true)]);
    const stopped = run.clearing.stop();
    await stopped;
    const left = run.slices.length;
    assert.ok(left >= 2);
    run.clearing.wake();
    await nextTurn();
    assert.equal(run.slices.length, left);
  });
});
