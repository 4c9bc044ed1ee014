import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { systemRandom } from '../../src/adapters/random.ts';
import type { Account } from '../../src/domain/accounts/account.ts';
import { sealingKey } from '../../src/domain/keys/sealing.ts';
import { createVault } from '../../src/domain/keys/vault.ts';
import { type CursorContent, readCursor, writeCursor } from '../../src/http/cursor.ts';
import { readSeed } from '../properties/seed.ts';

const seed = readSeed();

const vault = createVault(sealingKey(Buffer.alloc(32, 7)), systemRandom);
const services = { vault };

function accountOf(subdomain: string): Account {
  const record = { subdomain, sealedKey: vault.newAccountKey(subdomain) };
  return { record } as Account; // All that a cursor needs of an account.
}

const account = accountOf('one');
const content: CursorContent = {
  direction: 'after',
  position: { key: 'Ada', id: 7 },
  limit: 50,
  sort: 'firstname',
  filters: { email: 'a*', 'custom_attributes.x': 'é_-x' },
  fields: 'id,email',
};

const contents = fc.record({
  direction: fc.constantFrom('after' as const, 'before' as const),
  position: fc.record({ key: fc.oneof(fc.string({ unit: 'grapheme' }), fc.nat()), id: fc.nat() }),
  limit: fc.nat(),
  sort: fc.string(),
  filters: fc.dictionary(fc.stringMatching(/^[a-z_.]{1,10}$/), fc.string({ unit: 'grapheme' })),
  fields: fc.option(fc.string()),
});

test('a cursor is base64 of cursor=<token> without padding, in letters and digits only, and reads back', () => {
  fc.assert(
    fc.property(contents, (given) => {
      const cursor = writeCursor(services, account, 'listUsers', given);
      assert.match(cursor, /^[A-Za-z0-9]+$/);
      assert.equal(cursor.length % 4, 0);
      const [, token = ''] = /^cursor=([A-Za-z0-9]+)$/.exec(Buffer.from(cursor, 'base64').toString('latin1')) ?? [];
      const read = JSON.parse(JSON.stringify(given));
      assert.deepEqual(readCursor(services, account, 'listUsers', cursor), read);
      // An older SDK decodes it.
      assert.deepEqual(readCursor(services, account, 'listUsers', token), read);
    }),
    { seed },
  );
});

test('a changed cursor, or one of another list or account, is invalid (I6)', () => {
  const cursor = writeCursor(services, account, 'listUsers', content);
  assert.equal(readCursor(services, account, 'listRoles', cursor), null);
  assert.equal(readCursor(services, accountOf('two'), 'listUsers', cursor), null);
  const token = Buffer.from(cursor, 'base64').toString('latin1').slice('cursor='.length);
  for (let at = 0; at < token.length; at += 1) {
    const other = token[at] === 'A' ? 'B' : 'A';
    const changed = readCursor(services, account, 'listUsers', token.slice(0, at) + other + token.slice(at + 1));
    // The filling at the end and the bits beyond the last byte say nothing.
    assert.deepEqual(changed, changed && content);
    if (at < token.length - 8) assert.equal(changed, null, `changed at ${at}`);
  }
  for (const text of ['x', 'Y3Vyc29yPQ', token.slice(4), `${cursor}AAAA`, 'A'.repeat(2000)]) {
    assert.equal(readCursor(services, account, 'listUsers', text), null, text);
  }
});
