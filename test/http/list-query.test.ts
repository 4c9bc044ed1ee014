import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Failure } from '../../src/domain/failure.ts';
import { matching } from '../../src/domain/listing.ts';
import type { CursorContent } from '../../src/http/cursor.ts';
import type { ListRules } from '../../src/http/list-contract.ts';
import { readListRequest, readTime } from '../../src/http/list-query.ts';

const rules: ListRules = {
  operationId: 'listThings',
  path: '/things',
  members: new Set(['id', 'name', 'size']),
  closed: new Map([['state', ['open', 'shut']]]),
  maximumLimit: 1000,
  defaultLimit: 50,
  order: 'id',
  sort: ['id', 'name', 'created_at', 'last_login'],
  exact: { size: 'integer', kind: 'text', state: 'text' },
  match: ['name'],
  range: ['created', 'last_login'],
  special: ['role_ids', 'extra.*'],
};

function refusal(parameters: Record<string, unknown>, cursor: CursorContent | null = null, strict = false): string {
  try {
    readListRequest({ ...rules, strict }, parameters, cursor);
  } catch (error) {
    if (error instanceof Failure) return `${error.code} ${error.detail.name}`;
    throw error;
  }
  return 'nothing';
}

test('without parameters it is page 1 of 50 in the default order', () => {
  const { query } = readListRequest(rules, {}, null);
  assert.deepEqual(query, { sort: { field: 'id', descending: false }, filters: [], limit: 50, at: { page: 1 } });
});

test('sort takes +, a space that was one, and -; other names are refused', () => {
  for (const [sort, field, descending] of [
    ['name', 'name', false],
    ['+name', 'name', false],
    [' name', 'name', false],
    ['-created_at', 'created_at', true],
  ] as const) {
    assert.deepEqual(readListRequest(rules, { sort }, null).query.sort, { field, descending });
  }
  for (const sort of ['size', '--name', 'name;drop table users', '__proto__', 'constructor', '-']) {
    assert.equal(refusal({ sort }), 'request_invalid sort', sort);
  }
});

test('a list filtered by prefix is sorted by that member by default', () => {
  assert.equal(readListRequest(rules, { name: 'a*' }, null).sort, 'name');
  assert.equal(readListRequest(rules, { name: 'a*', sort: '-id' }, null).sort, '-id');
  assert.equal(readListRequest(rules, { name: '*a' }, null).sort, 'id');
});

test('a star at either end stands for any text', () => {
  assert.deepEqual(matching('name', 'a*b'), { field: 'name', test: 'is', values: ['a*b'] });
  assert.deepEqual(matching('name', 'ab*'), { field: 'name', test: 'begins', values: ['ab'] });
  assert.deepEqual(matching('name', '*ab'), { field: 'name', test: 'ends', values: ['ab'] });
  assert.deepEqual(matching('name', '*ab*'), { field: 'name', test: 'holds', values: ['ab'] });
  assert.deepEqual(matching('name', '*'), { field: 'name', test: 'ends', values: [''] });
});

test('a filter takes no text that its member cannot have', () => {
  const { query } = readListRequest(rules, { state: 'shut', kind: 'any' }, null);
  assert.deepEqual(query.filters.map(({ values }) => values).toSorted(), [['any'], ['shut']]);
  for (const state of ['', 'Open', 'open ', 'open*', 'constructor']) {
    assert.equal(refusal({ state }), 'request_invalid state', state);
  }
  assert.throws(() => readListRequest(rules, { state: 'x' }, null), { message: 'state must be one of open, shut' });
});

test('filters are parsed by their kind; special ones are left to the operation', () => {
  const given = { size: '7', kind: 'x*', created_since: '2026-01-01', last_login_until: '2026-01-01T00:00:00.5+01:00' };
  const request = readListRequest(rules, { ...given, role_ids: '1,2', 'extra.a': 'b', other: 'x' }, null);
  assert.deepEqual(request.query.filters, [
    { field: 'created_at', test: 'from', values: [Date.UTC(2026, 0, 1)] },
    { field: 'kind', test: 'is', values: ['x*'] },
    { field: 'last_login', test: 'to', values: [Date.UTC(2025, 11, 31, 23, 0, 0, 500)] },
    { field: 'size', test: 'is', values: [7] },
  ]);
  assert.deepEqual(Object.keys(request.filters), [
    'created_since',
    'extra.a',
    'kind',
    'last_login_until',
    'role_ids',
    'size',
  ]);
  assert.equal(refusal({ size: 'x' }), 'request_invalid size');
  assert.equal(refusal({ size: '2147483648' }), 'request_invalid size');
});

test('strict lists refuse unknown parameters, others ignore them', () => {
  assert.equal(refusal({ other: 'x' }), 'nothing');
  assert.equal(refusal({ other: 'x' }, null, true), 'request_invalid other');
  assert.equal(refusal({ limit: 1, page: 1, sort: 'id', fields: 'id' }, null, true), 'nothing');
});

test('fields name members of an item', () => {
  assert.equal(readListRequest(rules, { fields: 'id,size' }, null).fields, 'id,size');
  for (const fields of ['id,', 'other', 'id,__proto__', ' id']) {
    assert.equal(refusal({ fields }), 'request_invalid fields', fields);
  }
});

test('all filters together are limited', () => {
  assert.equal(refusal({ kind: 'é'.repeat(900) }), 'request_invalid undefined');
});

test('times are ISO 8601, including a zone that lost its +', () => {
  const time = Date.UTC(2026, 10, 21, 10);
  for (const text of [
    '2026-11-21T10:00:00.000Z',
    '2026-11-21T10:00Z',
    '2026-11-21T10:00:00',
    '2026-11-21T12:00:00 02:00',
  ]) {
    assert.equal(readTime('x', text), time, text);
  }
  assert.equal(readTime('x', '2026-11-21'), Date.UTC(2026, 10, 21));
  for (const text of ['', 'yesterday', '2026', '2026-13-01', '2026-11-21 10:00', '1e9', '2026-11-21T25:00Z']) {
    assert.throws(() => readTime('x', text), Failure, text);
  }
});

test('a cursor excludes page, sort and other filters; its limit and fields stay', () => {
  const cursor: CursorContent = {
    direction: 'before',
    position: { key: 'x', id: 3 },
    limit: 7,
    sort: '-name',
    filters: { name: 'a*' },
    fields: 'id',
  };
  const { query, fields } = readListRequest(rules, { cursor: 'c', limit: 9, fields: 'size', name: 'a*' }, cursor);
  assert.deepEqual(query.sort, { field: 'name', descending: true });
  assert.deepEqual([query.limit, query.at, fields], [7, { before: { key: 'x', id: 3 } }, 'id']);
  assert.deepEqual(query.filters, [{ field: 'name', test: 'begins', values: ['a'] }]);
  assert.equal(refusal({ cursor: 'c', page: 1 }, cursor), 'request_invalid page');
  assert.equal(refusal({ cursor: 'c', sort: '-name' }, cursor), 'request_invalid sort');
  assert.equal(refusal({ cursor: 'c', name: 'b*' }, cursor), 'request_invalid name');
  assert.equal(refusal({ cursor: 'c', size: '1' }, cursor), 'request_invalid size');
});
