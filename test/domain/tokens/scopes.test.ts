import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSettings } from '../../../src/domain/accounts/settings.ts';
import { grantableScope, splitScope } from '../../../src/domain/tokens/scopes.ts';

test('a list is split at spaces, without repetitions and empty parts (RFC 6749 §3.3)', () => {
  assert.deepEqual(splitScope('openid email'), ['openid', 'email']);
  assert.deepEqual(splitScope('  openid  openid '), ['openid']);
  assert.deepEqual(splitScope(''), []);
  assert.deepEqual(splitScope('a\tb'), ['a\tb'], 'only spaces separate scopes');
});

test('a client gets the requested scopes that are known, registered and offered, in one order', () => {
  const any = { scope: null };
  const narrow = { scope: ['openid', 'email', 'phone'] };
  const plain = { settings: parseSettings({}) };
  assert.deepEqual(grantableScope(plain, any, 'groups openid x phone address'), ['openid', 'groups']);
  assert.deepEqual(grantableScope(plain, any, undefined), ['openid']);
  assert.deepEqual(grantableScope(plain, any, 'OPENID'), []);
  assert.deepEqual(grantableScope(plain, narrow, 'groups openid profile'), ['openid']);
  assert.deepEqual(grantableScope(plain, narrow, undefined), ['openid', 'email']);
  assert.deepEqual(grantableScope(plain, narrow, 'groups'), []);
  const mapped = { settings: parseSettings({ claims_mapping: 'phone_number=phone,address.country=title' }) };
  assert.deepEqual(grantableScope(mapped, any, 'groups openid x phone address'), [
    'openid',
    'address',
    'phone',
    'groups',
  ]);
  assert.deepEqual(grantableScope(mapped, narrow, undefined), ['openid', 'email', 'phone']);
  const nickname = { settings: parseSettings({ claims_mapping: 'nickname=title' }) };
  assert.deepEqual(grantableScope(nickname, any, 'phone address profile'), ['profile']);
});
