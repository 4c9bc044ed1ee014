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

test('reports who waits, for how long, who is turned away, and each digest', async () => {
  const told: Record<string, number> = { waiting: 0, most: 0, waited: 0, refused: 0, hashed: 0 };
  const count = (name: string) => () => {
    told[name] = (told[name] ?? 0) + 1;
  };
  const places = createHashPlaces(1, {
    waiting: (change) => {
      told['waiting'] = (told['waiting'] ?? 0) + change;
      told['most'] = Math.max(told['most'] ?? 0, told['waiting']);
    },
    waited: count('waited'),
    refused: count('refused'),
    hashed: count('hashed'),
  });
  const tries = Array.from({ length: 70 }, () =>
    places.withPlace({ accountId: 1, source: 'one' }, ({ hash }) => hash(async () => 1)).catch(() => 0),
  );
  const served = (await Promise.all(tries)).filter((one) => one === 1).length;
  assert.ok(served < 70 && served >= 65, String(served));
  assert.deepEqual({ ...told, most: 0 }, { waiting: 0, most: 0, waited: 70, refused: 70 - served, hashed: served });
  assert.ok((told['most'] ?? 0) > 32, String(told['most']));
});
