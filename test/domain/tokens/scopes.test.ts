import assert from 'node:assert/strict';
import { test } from 'node:test';
import { grantableScope, splitScope } from '../../../src/domain/tokens/scopes.ts';

test('a list is split at spaces, without repetitions and empty parts (RFC 6749 §3.3)', () => {
  assert.deepEqual(splitScope('openid email'), ['openid', 'email']);
  assert.deepEqual(splitScope('  openid  openid '), ['openid']);
  assert.deepEqual(splitScope(''), []);
  assert.deepEqual(splitScope('a\tb'), ['a\tb'], 'only spaces separate scopes');
});

test('a client gets the requested scopes that are known and registered, in one order', () => {
  const any = { scope: null };
  const narrow = { scope: ['openid', 'email'] };
  assert.deepEqual(grantableScope(any, 'groups openid x'), ['openid', 'groups']);
  assert.deepEqual(grantableScope(any, undefined), ['openid']);
  assert.deepEqual(grantableScope(any, 'OPENID'), []);
  assert.deepEqual(grantableScope(narrow, 'groups openid profile'), ['openid']);
  assert.deepEqual(grantableScope(narrow, undefined), ['openid', 'email']);
  assert.deepEqual(grantableScope(narrow, 'groups'), []);
});
