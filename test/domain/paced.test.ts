import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { paced, restAfter } from '../../src/domain/paced.ts';

/** Time that only slices and rests take. */
function course(sliceMilliseconds: readonly number[]) {
  const stop = new AbortController();
  const rests: number[] = [];
  let time = 0;
  let slices = 0;
  const slice = async () => {
    time += sliceMilliseconds[slices] ?? 0;
    slices += 1;
    return slices < sliceMilliseconds.length;
  };
  const pacing = {
    share: 0.05,
    monotonic: () => time,
    rest: async (milliseconds: number) => {
      rests.push(milliseconds);
      time += milliseconds;
    },
    signal: stop.signal,
  };
  return { slice, pacing, rests, stop, slices: () => slices };
}

describe('paced work', () => {
  it('rests so long that slices take their share of the time, except after the last', async () => {
    const { slice, pacing, rests, slices } = course([2, 1, 3, 4]);
    await paced(slice, pacing);
    assert.equal(slices(), 4);
    assert.deepEqual(rests, [38, 19, 50]);
    assert.equal(restAfter(12, 0.25), 36);
  });

  it('rests between five and fifty milliseconds, so that it ends on a slow machine too', async () => {
    const { slice, pacing, rests } = course([0, 0.1, 7, 1000, 1]);
    await paced(slice, pacing);
    assert.deepEqual(rests, [5, 5, 50, 50]);
  });

  it('starts no slice after it is told to stop', async () => {
    const { slice, pacing, stop, slices } = course([1, 1, 1]);
    await paced(slice, { ...pacing, rest: async () => stop.abort() });
    assert.equal(slices(), 1);
  });

  it('gives others a turn between slices', async () => {
    const { slice, pacing } = course([1, 1, 1]);
    const order: string[] = [];
    const work = paced(
      async () => {
        order.push('slice');
        return slice();
      },
      { ...pacing, rest: () => new Promise((resolve) => setImmediate(resolve)) },
    );
    const other = (async () => {
      for (let turn = 0; turn < 2; turn += 1) {
        await new Promise((resolve) => setImmediate(resolve));
        order.push('other');
      }
    })();
    await Promise.all([work, other]);
    assert.match(order.join(' '), /slice.* other.* slice.* other/);
  });

  it('rejects as a slice does', async () => {
    const { pacing } = course([]);
    await assert.rejects(
      paced(() => Promise.reject(new Error('the disk is full')), pacing),
      /the disk is full/,
    );
  });
});
