import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHashPlaces } from '../../src/adapters/hash-places.ts';

const settled = () => new Promise(setImmediate);

test('the next attempt queries the store after a pause, not while the previous one still writes its result', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const places = createHashPlaces(1);
  const running: (() => void)[] = [];
  let begun = 0;
  for (let number = 0; number < 30; number += 1) {
    void places.withPlace({ accountId: 1, source: 'one' }, () => {
      begun += 1;
      return new Promise<void>((end) => running.push(end));
    });
  }
  await settled();
  const atOnce = begun;
  assert.ok(atOnce > 1 && atOnce < 30, String(atOnce));
  running.shift()?.();
  await settled();
  assert.equal(begun, atOnce);
  t.mock.timers.tick(5);
  await settled();
  assert.equal(begun, atOnce + 1);
});
