import assert from 'node:assert/strict';
import { it } from 'node:test';
import { madeOnce } from '../../src/programs/made-once.ts';

it('makes a thing once for all who ask, and tries a failure again after a while only', async () => {
  let [now, calls] = [0, 0];
  let fails = true;
  const make = madeOnce(
    async () => {
      calls += 1;
      if (fails) throw new Error(`attempt ${calls}`);
      return calls;
    },
    () => now,
  );
  await Promise.all([make(), make()].map((one) => assert.rejects(one, /attempt 1/)));
  now = 4_999;
  await assert.rejects(make(), /attempt 1/);
  now = 5_000;
  await assert.rejects(make(), /attempt 2/);
  fails = false;
  now = 9_999;
  await assert.rejects(make(), /attempt 2/);
  now = 10_000;
  assert.deepEqual(await Promise.all([make(), make()]), [3, 3]);
  now = 1e9;
  assert.equal(await make(), 3);
});
