import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isCommonPassword } from '../../../src/domain/users/common-passwords.ts';
import { findWeakness } from '../../../src/domain/users/password-rules.ts';

const owner = {
  account: { subdomain: 'northwind', name: 'Northwind Traders' },
  user: { email: 'ada.king@analytical.example', username: 'countess', firstname: 'Ada', lastname: 'Lovelace' },
};

function weaknessOf(password: string, minimumPasswordLength = 8): string | null {
  return findWeakness(password, { minimumPasswordLength }, owner);
}

test("a password has from the policy's minimum to 256 characters, counted as graphemes", () => {
  for (const [password, least] of [
    ['', 8],
    ['zq41vwx', 8],
    ['👍'.repeat(7), 8],
    ['zq41vwx8', 9],
    ['x'.repeat(257), 8],
    ['zq41vwx8\uD800', 8],
  ] as const) {
    assert.equal(weaknessOf(password, least), `must have ${least} to 256 characters`, password);
  }
  for (const password of ['zq41vwx8', '👍'.repeat(8), 'x'.repeat(256)]) assert.equal(weaknessOf(password), null);
});

test('its composition does not matter', () => {
  for (const password of ['blueberries in winter', '830192746581', 'ЖИЗНЬХОРОША', '!!!!!!!!!!!!!?', 'zqzqzqzqvv']) {
    assert.equal(weaknessOf(password), null, password);
  }
});

test('the most common ones are refused in any case, in any form that NFKC folds, and with spaces around', () => {
  const spread = [
    'password',
    'PassWord',
    'ｐａｓｓｗｏｒｄ',
    '12345678',
    ' iloveyou1 ',
    'qwertyuiop',
    'trustno1',
    'baseball',
  ];
  for (const password of spread) assert.match(weaknessOf(password) ?? '', /most common/, password);
  assert.equal(weaknessOf('password about bears'), null, 'only the whole password is looked up');
});

test('the list contains what its documentation says', () => {
  for (const password of ['password', 'football', 'sunshine']) assert.ok(isCommonPassword(password));
  for (const no of ['', '1234567', 'correct horse battery staple']) assert.ok(!isCommonPassword(no), no);
});

test('the names of its owner and of the service do not count in it', () => {
  for (const password of [
    'ada.king@analytical.example',
    'Lovelace1815',
    'AdaLovelace!',
    'countess-42',
    'adaadaadaada1',
    'LOVELACE lovelace',
    'Northwind2026',
    'traders99',
    'analytical#7',
  ]) {
    assert.match(weaknessOf(password) ?? '', /fewer than 8 characters/, password);
  }
  for (const password of ['Ada drinks tea at noon', 'ada83719264', 'adaptable giraffes']) {
    assert.equal(weaknessOf(password), null, password);
  }
});

test('a short or missing name forbids nothing', () => {
  const user = { email: null, username: 'al', firstname: 'Al', lastname: null };
  assert.equal(findWeakness('royal metal bells', { minimumPasswordLength: 8 }, { ...owner, user }), null);
  assert.equal(findWeakness('alalalalal', { minimumPasswordLength: 8 }, { ...owner, user }), null);
});
