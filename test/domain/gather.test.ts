import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gather, gatherInLanes } from '../../src/domain/gather.ts';

/** A batch verb that doubles numbers when it is let go, and remembers its batches. */
function slowDoubler() {
  const batches: (readonly number[])[] = [];
  const held: (() => void)[] = [];
  const run = async (batch: readonly number[]) => {
    batches.push(batch);
    await new Promise<void>((resolve) => held.push(resolve));
    return batch.map((item) => item * 2);
  };
  return { batches, run, release: () => held.shift()?.() };
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

test('items of one turn form one batch, in order, and each gets its own result', async () => {
  const { batches, run, release } = slowDoubler();
  const one = gather(run);
  const results = [1, 2, 3].map((item) => one(item));
  await nextTurn();
  release();
  assert.deepEqual(await Promise.all(results), [2, 4, 6]);
  assert.deepEqual(batches, [[1, 2, 3]]);
});

test('items that arrive during a batch go into the next one: never two at a time', async () => {
  const { batches, run, release } = slowDoubler();
  const one = gather(run);
  const first = one(1);
  await nextTurn();
  const later = [one(2), one(3)];
  await nextTurn();
  assert.deepEqual(batches, [[1]]);
  release();
  assert.equal(await first, 2);
  await nextTurn();
  release();
  assert.deepEqual(await Promise.all(later), [4, 6]);
  assert.deepEqual(batches, [[1], [2, 3]]);
  const last = one(4);
  await nextTurn();
  release();
  assert.equal(await last, 8, 'and it starts again after a rest');
});

test('a batch has a size limit', async () => {
  const batches: number[] = [];
  const one = gather(
    async (batch: readonly number[]) => {
      batches.push(batch.length);
      return batch;
    },
    { mostItems: 4 },
  );
  await Promise.all(Array.from({ length: 10 }, (_, index) => one(index)));
  assert.deepEqual(batches, [4, 4, 2]);
});

test('a failing batch fails for its own items only', async () => {
  let fails = true;
  const one = gather(async (batch: readonly number[]) => {
    if (fails) throw new Error('the store is away');
    return batch;
  });
  const results = await Promise.allSettled([one(1), one(2)]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  fails = false;
  assert.equal(await one(3), 3);
});

test('with an interval a batch starts that long after the previous one and holds what arrived meanwhile', async () => {
  const interval = 300;
  const { batches, run, release } = slowDoubler();
  const one = gather(run, { interval });
  const first = one(1);
  await nextTurn();
  const later = [one(2)];
  // The first batch ends after this, however late this process runs.
  const releasedAt = performance.now();
  release();
  await first;
  later.push(one(3));
  while (batches.length === 1) await nextTurn();
  // A timer may be early by the millisecond that the event loop counts in.
  assert.ok(performance.now() - releasedAt >= interval - 2, 'the second batch did not wait long enough');
  later.push(one(4));
  release();
  assert.deepEqual(await Promise.all(later.slice(0, 2)), [4, 6]);
  while (batches.length === 2) await nextTurn();
  release();
  assert.equal(await later[2], 8);
  assert.deepEqual(batches, [[1], [2, 3], [4]]);
});

test('a batch that follows another is held while it may be, and one that follows none is not', async () => {
  const held: { readonly milliseconds: number; readonly begin: () => void }[] = [];
  const { batches, run, release } = slowDoubler();
  const mostHeld = 3_600_000;
  const one = gather(run, { mostHeld, hold: (milliseconds, begin) => held.push({ milliseconds, begin }) });
  const first = one(1);
  await nextTurn();
  assert.deepEqual(batches, [[1]]);
  release();
  await first;
  const later = [one(2)];
  await nextTurn();
  later.push(one(3));
  await nextTurn();
  assert.deepEqual([batches, held.length], [[[1]], 1]);
  const [{ milliseconds = 0, begin = () => {} } = {}] = held;
  assert.ok(milliseconds > 0 && milliseconds <= mostHeld);
  begin();
  later.push(one(4));
  await nextTurn();
  release();
  assert.deepEqual(await Promise.all(later), [4, 6, 8]);
  assert.deepEqual(batches, [[1], [2, 3, 4]]);
});

test('what came too long after the last batch is not held', async () => {
  const { batches, run, release } = slowDoubler();
  const mostHeld = 1;
  const one = gather(run, { mostHeld, hold: () => assert.fail('it was held') });
  const first = one(1);
  await nextTurn();
  release();
  await first;
  const endedBefore = performance.now();
  while (performance.now() - endedBefore <= mostHeld) await nextTurn();
  const second = one(2);
  await nextTurn();
  release();
  await second;
  assert.deepEqual(batches, [[1], [2]]);
});

test("a lane does not wait for another's batch, and the number of concurrent batches is limited", async () => {
  const { batches, run, release } = slowDoubler();
  const one = gatherInLanes((item: number) => item % 10, 2, run);
  const results = [11, 12, 13, 21].map((item) => one(item));
  await nextTurn();
  assert.deepEqual(batches, [[11, 21], [12]]);
  release();
  assert.deepEqual([await results[0], await results[3]], [22, 42]);
  await nextTurn();
  assert.deepEqual(batches.slice(2), [[13]]);
  release();
  release();
  assert.deepEqual(await Promise.all(results), [22, 24, 26, 42]);
});

test('a lane continues after a failed batch', async () => {
  let calls = 0;
  const one = gatherInLanes(
    () => 'one',
    1,
    async (batch: readonly number[]) => {
      calls += 1;
      if (calls === 1) throw new Error('gone');
      return batch;
    },
  );
  await assert.rejects(one(1), /gone/);
  assert.equal(await one(2), 2);
});

test('an item that fails a batch by itself fails alone', async () => {
  const batches: (readonly number[])[] = [];
  const run = async (batch: readonly number[]) => {
    batches.push(batch);
    if (batch.includes(2)) throw new RangeError('two');
    return batch.map((item) => item * 2);
  };
  const one = gather(run, { isOfOne: (error) => error instanceof RangeError });
  const results = await Promise.allSettled([1, 2, 3].map(one));
  assert.deepEqual(
    results.map((result) => (result.status === 'fulfilled' ? result.value : String(result.reason))),
    [2, 'RangeError: two', 6],
  );
  assert.deepEqual(batches, [[1, 2, 3], [1], [2], [3]]);
});

test('any other error fails all of the batch, which is not run again', async () => {
  let runs = 0;
  const one = gather(
    async (_batch: readonly number[]): Promise<number[]> => {
      runs += 1;
      throw new Error('the disk');
    },
    { isOfOne: (error) => error instanceof RangeError },
  );
  const results = await Promise.allSettled([1, 2].map(one));
  assert.deepEqual(
    results.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  assert.equal(runs, 1);
});
