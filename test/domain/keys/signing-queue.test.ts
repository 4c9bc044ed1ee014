import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSigningQueue } from '../../../src/domain/keys/signing-queue.ts';

const anHour = 3_600_000;

test('what waits for few signatures begins at once where there are few', () => {
  const queue = createSigningQueue();
  let times = 0;
  const count = () => {
    times += 1;
  };
  queue.whenFew(0, anHour, count);
  queue.enter();
  queue.whenFew(1, anHour, count);
  assert.equal(times, 2);
});

test('it begins once, as soon as there are no more than it waits for', () => {
  const queue = createSigningQueue();
  const begun: string[] = [];
  for (let signature = 0; signature < 3; signature += 1) queue.enter();
  queue.whenFew(1, anHour, () => begun.push('few'));
  queue.whenFew(0, anHour, () => begun.push('none'));
  queue.leave();
  assert.deepEqual(begun, []);
  queue.leave();
  assert.deepEqual(begun, ['few']);
  queue.leave();
  assert.deepEqual(begun, ['few', 'none']);
  queue.enter();
  queue.leave();
  assert.deepEqual(begun, ['few', 'none']);
});

test('it waits no longer than it may, and does not begin again when there are few', async () => {
  const queue = createSigningQueue();
  let times = 0;
  queue.enter();
  await new Promise<void>((resolve) => {
    queue.whenFew(0, 1, () => {
      times += 1;
      resolve();
    });
  });
  queue.leave();
  assert.equal(times, 1);
});
