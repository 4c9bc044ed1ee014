import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOnceAnHour, type Happening } from '../../../src/domain/audit/once.ts';

const hour = 3_600_000;

function happening(about: string, given: Partial<Happening> = {}): Happening {
  return { kind: 'refused', about, what: 'revoked', source: '198.51.100.7', ...given };
}

test('records an event the first time, and again after an hour', () => {
  let now = 0;
  const once = createOnceAnHour({ elapsed: () => now });
  const isFirst = (about: string) => once.isFirst(1, happening(about));
  assert.equal(isFirst('one'), true);
  now = hour - 1;
  assert.equal(isFirst('one'), false);
  assert.equal(isFirst('another'), true);
  now = hour;
  assert.equal(isFirst('one'), true);
  assert.equal(isFirst('another'), false);
  now = 2 * hour - 1;
  assert.deepEqual([isFirst('one'), isFirst('another')], [false, true]);
});

test('an event that is taken back is recorded the next time', () => {
  const once = createOnceAnHour({ elapsed: () => 0 });
  once.isFirst(1, happening('one'));
  once.forget(1, happening('one'));
  assert.deepEqual([once.isFirst(1, happening('one')), once.isFirst(1, happening('one'))], [true, false]);
});

test('limits records per hour by account, by subject and by source', () => {
  let now = 0;
  const once = createOnceAnHour({ elapsed: () => now, most: 6, mostAbout: 2, mostFrom: 3 });
  const told = (count: number, of: (number: number) => Happening) =>
    Array.from({ length: count }, (_, number) => once.isFirst(1, of(number))).filter(Boolean).length;
  const aboutOne = (number: number) => happening('one', { what: `repeated ${number}`, source: `source ${number}` });
  const fromOne = (number: number) => happening(`thing ${number}`, { source: 'one source' });
  assert.equal(told(10, aboutOne), 2);
  assert.equal(told(10, fromOne), 3);
  assert.equal(
    told(10, (number) => happening(`other ${number}`, { source: `source ${number}` })),
    1,
  );
  assert.equal(once.isFirst(1, happening('one', { kind: 'repeated' })), true, 'another kind has a separate limit');
  now = hour;
  assert.equal(told(10, fromOne), 3);
});

test('accounts do not affect each other', () => {
  const once = createOnceAnHour({ elapsed: () => 0, most: 2 });
  for (const about of ['one', 'two', 'three']) once.isFirst(2, happening(about));
  assert.equal(once.isFirst(1, happening('one')), true);
  assert.equal(once.isFirst(1, happening('one')), false);
});
