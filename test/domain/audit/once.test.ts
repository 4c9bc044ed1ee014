import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOnceAnHour } from '../../../src/domain/audit/once.ts';

const hour = 3_600_000;

test('tells of a thing the first time, and again once the hour that began then is over', () => {
  let now = 0;
  const once = createOnceAnHour({ elapsed: () => now });
  assert.equal(once.isFirst('one'), true);
  now = hour - 1;
  assert.equal(once.isFirst('one'), false);
  assert.equal(once.isFirst('another'), true);
  now = hour;
  assert.equal(once.isFirst('one'), true);
  assert.equal(once.isFirst('another'), false);
  now = 2 * hour - 1;
  assert.deepEqual([once.isFirst('one'), once.isFirst('another')], [false, true]);
});

test('what is taken back is told the next time', () => {
  const once = createOnceAnHour({ elapsed: () => 0 });
  once.isFirst('one');
  once.forget('one');
  assert.deepEqual([once.isFirst('one'), once.isFirst('one')], [true, false]);
});

test('remembers a bounded number of things, and forgets the oldest', () => {
  const once = createOnceAnHour({ elapsed: () => 0, most: 2 });
  for (const what of ['one', 'two', 'three']) assert.equal(once.isFirst(what), true);
  assert.deepEqual([once.isFirst('three'), once.isFirst('two'), once.isFirst('one')], [false, false, true]);
});
