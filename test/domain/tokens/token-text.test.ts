import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { systemRandom } from '../../../src/adapters/random.ts';
import type { Account } from '../../../src/domain/accounts/account.ts';
import { sealingKey } from '../../../src/domain/keys/sealing.ts';
import { createVault } from '../../../src/domain/keys/vault.ts';
import type { Binding } from '../../../src/domain/tokens/binding.ts';
import {
  accessTokenSecret,
  accessTokenText,
  newAccessSecret,
  newRefreshToken,
  newSuccessorSalt,
  parseAccessToken,
  parseRefreshToken,
  parseTokenId,
  successorOf,
  tokenIdText,
} from '../../../src/domain/tokens/token-text.ts';

const vault = createVault(sealingKey(randomBytes(32)), systemRandom);

/** As much of an account as tokens look at. */
function accountNamed(subdomain: string): Account {
  const record = { subdomain, sealedKey: vault.newAccountKey(subdomain) };
  return { subdomain, record } as unknown as Account;
}

const account = accountNamed('one');
const largest = Number.MAX_SAFE_INTEGER;

test('an access token names its row and holds 256 random bits', () => {
  for (const id of [1, 35, 36, 1_000_000, 2 ** 31, largest]) {
    const secret = newAccessSecret(systemRandom);
    assert.match(secret, /^[\w-]{43}$/);
    assert.deepEqual(parseAccessToken(accessTokenText(id, secret)), { id, secret, binding: null });
  }
});

test('a malformed text, or one with an impossible row number, names no row', () => {
  const secret = 'A'.repeat(43);
  for (const text of [
    '',
    'at_',
    `at_1_${secret}A`,
    `at_1_${secret.slice(1)}`,
    `at_0_${secret}`,
    `at_-1_${secret}`,
    `at_${(2 ** 53).toString(36)}_${secret}`,
    `at_zzzzzzzzzzz_${secret}`,
    `at_100000000000_${secret}`,
    `AT_1_${secret}`,
    `at_A_${secret}`,
    ` at_1_${secret}`,
    `at_1_${secret}\n`,
    `ct_1_${secret}`,
  ]) {
    assert.equal(parseAccessToken(text), null, text);
  }
});

test('the jti of a JWT names its row', () => {
  const secret = newAccessSecret(systemRandom);
  for (const id of [1, 2 ** 31, largest]) assert.deepEqual(parseTokenId(tokenIdText(id, secret)), { id, secret });
  assert.equal(parseTokenId(tokenIdText(2 ** 53, secret)), null);
});

test("a refresh token belongs to its account's family, and a grant cannot be named without one of its tokens", () => {
  for (const id of [1, 36, 2 ** 31, largest]) {
    const token = newRefreshToken(vault, systemRandom, account, id);
    assert.match(token, /^rt_[0-9a-z]{1,11}\.[\w-]{65}$/);
    assert.deepEqual(parseRefreshToken(vault, account, token), { grantId: id, binding: null });
    assert.equal(parseRefreshToken(vault, accountNamed('two'), token), null, 'another account');
    assert.equal(parseRefreshToken(vault, accountNamed('one'), token), null, 'a different data key');
    const [head, rest = ''] = token.split('.');
    assert.equal(
      parseRefreshToken(vault, account, `${head}.${'A'.repeat(22)}${rest.slice(22)}`),
      null,
      'a guessed family',
    );
    assert.equal(parseRefreshToken(vault, account, `rt_${(id - 1 || 2).toString(36)}.${rest}`), null, 'another grant');
    assert.equal(parseRefreshToken(vault, account, `${token}A`), null);
    assert.equal(parseRefreshToken(vault, account, token.slice(0, -1)), null);
  }
});

test('a successor belongs to the same family and can be derived only from its predecessor and the salt', () => {
  const presented = newRefreshToken(vault, systemRandom, account, 7);
  const salt = newSuccessorSalt(systemRandom);
  const successor = successorOf(presented, salt);
  assert.deepEqual(parseRefreshToken(vault, account, successor), { grantId: 7, binding: null });
  assert.equal(successorOf(presented, salt), successor, 'however often it is asked for');
  assert.notEqual(successorOf(presented, newSuccessorSalt(systemRandom)), successor);
  assert.notEqual(successorOf(newRefreshToken(vault, systemRandom, account, 7), salt), successor);
  assert.match(salt, /^[\w-]{22}$/);
});

for (const [to, letter] of [
  ['key', 'd'],
  ['certificate', 'c'],
] as const) {
  test(`a binding to a ${to} is part of a token: it cannot be added, changed or removed`, () => {
    const [one, two] = ['a'.repeat(43), 'b'.repeat(43)];
    const mine: Binding = { to, thumbprint: one };
    const other: Binding = { to, thumbprint: two };
    const bound = newRefreshToken(vault, systemRandom, account, 7, mine);
    const late = newRefreshToken(vault, systemRandom, account, largest, mine);
    assert.deepEqual(parseRefreshToken(vault, account, late), { grantId: largest, binding: mine });
    assert.deepEqual(parseRefreshToken(vault, account, bound), { grantId: 7, binding: mine });
    assert.deepEqual(parseRefreshToken(vault, account, successorOf(bound, newSuccessorSalt(systemRandom))), {
      grantId: 7,
      binding: mine,
    });
    assert.equal(parseRefreshToken(vault, account, bound.replace(one, two)), null);
    assert.equal(parseRefreshToken(vault, account, bound.replace(`r${letter}_`, 'rt_').replace(one, '')), null);
    const otherKind = letter === 'd' ? 'rc_' : 'rd_';
    assert.equal(parseRefreshToken(vault, account, bound.replace(`r${letter}_`, otherKind)), null);
    const plain = newRefreshToken(vault, systemRandom, account, 7);
    assert.equal(parseRefreshToken(vault, account, plain.replace('rt_', `r${letter}_`).replace('.', `.${one}`)), null);
    const secret = newAccessSecret(systemRandom);
    assert.deepEqual(parseAccessToken(accessTokenText(7, secret, mine)), { id: 7, secret, binding: mine });
    assert.deepEqual(parseAccessToken(accessTokenText(largest, secret, mine)), { id: largest, secret, binding: mine });
    const digests = [mine, other, { ...mine, to: to === 'key' ? 'certificate' : 'key' } as Binding, null];
    const secrets = digests.map((binding) => accessTokenSecret(secret, binding));
    assert.equal(new Set(secrets).size, 4);
  });
}
