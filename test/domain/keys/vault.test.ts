import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { systemRandom } from '../../../src/adapters/random.ts';
import { sealingKey, sealText, unsealText } from '../../../src/domain/keys/sealing.ts';
import { createVault } from '../../../src/domain/keys/vault.ts';
import { thrownBy } from '../subject.ts';

const masterKey = sealingKey(randomBytes(32));
const vault = createVault(masterKey, systemRandom);
const secret = Buffer.from('a secret');

function newAccount(subdomain: string) {
  return { subdomain, sealedKey: vault.newAccountKey(subdomain) };
}

test('a sealed text opens in its place; each seal has a new nonce', () => {
  const account = newAccount('one');
  const sealed = vault.seal(account, 'table|column|1', secret);
  assert.match(sealed, /^v1\.[\w-]{8}\.[\w-]{16}\.[\w-]+$/);
  assert.notEqual(vault.seal(account, 'table|column|1', secret), sealed);
  assert.deepEqual(vault.unseal(account, 'table|column|1', sealed), secret);
  const another = createVault(masterKey, systemRandom);
  assert.deepEqual(another.unseal(account, 'table|column|1', sealed), secret);
});

test('a sealed text opens neither in another place nor in another account', () => {
  const [one, two] = [newAccount('one'), newAccount('two')];
  const sealed = vault.seal(one, 'table|column|1', secret);
  assert.equal(
    thrownBy(() => vault.unseal(one, 'table|column|2', sealed)),
    'internal',
  );
  assert.equal(
    thrownBy(() => vault.unseal(two, 'table|column|1', sealed)),
    'internal',
  );
  // A data key that was moved to another account's row does not open there either.
  assert.equal(
    thrownBy(() => vault.unseal({ ...one, subdomain: 'two' }, 'table|column|1', sealed)),
    'internal',
  );
});

test('any changed bit is detected', () => {
  const sealed = sealText(masterKey, systemRandom, 'place', secret);
  const parts = sealed.split('.');
  for (const part of [2, 3]) {
    const bytes = Buffer.from(parts[part] ?? '', 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const text = parts.with(part, changed.toString('base64url')).join('.');
      assert.equal(
        thrownBy(() => unsealText(masterKey, 'place', text)),
        'internal',
      );
    }
  }
  for (const text of ['', 'v1', sealed.replace('v1', 'v2'), `${sealed}.x`, sealed.slice(0, -30), 'v1...']) {
    assert.equal(
      thrownBy(() => unsealText(masterKey, 'place', text)),
      'internal',
    );
  }
});

test('a sealed text has one spelling', () => {
  // Not a multiple of three bytes: the last character has bits that no byte has.
  const sealed = sealText(masterKey, systemRandom, 'place', Buffer.from('12'));
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const spellings = [
    `${sealed}x`,
    `${sealed}=`,
    `${sealed}\n`,
    sealed.replace(/.$/, ' $&'),
    sealed.replace(/\.(?=[^.]*$)/, '.*'),
  ];
  for (const last of alphabet) if (!sealed.endsWith(last)) spellings.push(sealed.slice(0, -1) + last);
  for (const text of spellings) {
    assert.equal(
      thrownBy(() => unsealText(masterKey, 'place', text)),
      'internal',
      text,
    );
  }
});

test('a text sealed under another master key is recognized by its key id', () => {
  const other = sealingKey(randomBytes(32));
  assert.throws(() => unsealText(other, 'place', sealText(masterKey, systemRandom, 'place', secret)), {
    detail: { reason: 'a text is sealed under another key' },
  });
});

test('a mac depends on account, purpose and text', () => {
  const [one, two] = [newAccount('one'), newAccount('two')];
  const mac = vault.mac(one, 'purpose', 'text');
  assert.equal(mac.length, 32);
  assert.deepEqual(vault.mac(one, 'purpose', 'text'), mac);
  for (const other of [
    vault.mac(two, 'purpose', 'text'),
    vault.mac(one, 'other', 'text'),
    vault.mac(one, 'purpose', 'x'),
  ]) {
    assert.notDeepEqual(other, mac);
  }
});
