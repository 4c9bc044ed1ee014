import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOnceAnHour, type Happening } from '../../../src/domain/audit/once.ts';

const hour = 3_600_000;

function happening(about: string, given: Partial<Happening> = {}): Happening {
  return { kind: 'refused', about, what: 'revoked', source: '198.51.100.7', ...given };
}

test('tells of a thing the first time, and again once the hour that began then is over', () => {
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

test('what is taken back is told the next time', () => {
  const once = createOnceAnHour({ elapsed: () => 0 });
  once.isFirst(1, happening('one'));
  once.forget(1, happening('one'));
  assert.deepEqual([once.isFirst(1, happening('one')), once.isFirst(1, happening('one'))], [true, false]);
});

test('tells no more than so much in an hour: of an account, of a thing, from a source', () => {
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
  assert.equal(once.isFirst(1, happening('one', { kind: 'repeated' })), true, 'another kind has room of its own');
  now = hour;
  assert.equal(told(10, fromOne), 3);
});

test('what one account does is nothing to another', () => {
  const once = createOnceAnHour({ elapsed: () => 0, most: 2 });
  for (const about of ['one', 'two', 'three']) once.isFirst(2, happening(about));
  assert.equal(once.isFirst(1, happening('one')), true);
  assert.equal(once.isFirst(1, happening('one')), false);
});
