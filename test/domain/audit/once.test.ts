import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOnceAnHour } from '../../../src/domain/audit/once.ts';

const hour = 3_600_000;

test('tells of a thing the first time, and again once the hour that began then is over', () => {
  let now = 0;
  const once = createOnceAnHour({ elapsed: () => now });
  assert.equal(once.isFirst(1, 'one'), true);
  now = hour - 1;
  assert.equal(once.isFirst(1, 'one'), false);
  assert.equal(once.isFirst(1, 'another'), true);
  now = hour;
  assert.equal(once.isFirst(1, 'one'), true);
  assert.equal(once.isFirst(1, 'another'), false);
  now = 2 * hour - 1;
  assert.deepEqual([once.isFirst(1, 'one'), once.isFirst(1, 'another')], [false, true]);
});

test('what is taken back is told the next time', () => {
  const once = createOnceAnHour({ elapsed: () => 0 });
  once.isFirst(1, 'one');
  once.forget(1, 'one');
  assert.deepEqual([once.isFirst(1, 'one'), once.isFirst(1, 'one')], [true, false]);
});

test('remembers a bounded number of things, and forgets the oldest', () => {
  const once = createOnceAnHour({ elapsed: () => 0, most: 2 });
  for (const what of ['one', 'two', 'three']) assert.equal(once.isFirst(1, what), true);
  assert.deepEqual([once.isFirst(1, 'three'), once.isFirst(1, 'two'), once.isFirst(1, 'one')], [false, false, true]);
});

test('what one account does makes nothing of another forgotten', () => {
  const once = createOnceAnHour({ elapsed: () => 0, most: 2 });
  once.isFirst(1, 'one');
  for (const what of ['one', 'two', 'three']) assert.equal(once.isFirst(2, what), true);
  assert.equal(once.isFirst(1, 'one'), false);
});
