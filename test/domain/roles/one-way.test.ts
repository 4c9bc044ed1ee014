/** Nobody gives or takes a role but `links.ts`, which tells of it. */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const source = new URL('../../../src/', import.meta.url).pathname;
const theOne = 'domain/roles/links.ts';

function writes(text: string): boolean {
  return /\broles\s*(?:\?\.|\.)\s*(?:(?:un)?link|assign|withdraw|move)\b/.test(text);
}

test('nothing else in the program links roles', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const writers = files.filter((name) => writes(readFileSync(join(source, name), 'utf8')));
  assert.deepEqual(writers, [theOne]);
});

test('a planted writer is found, and a reader is not', () => {
  assert.ok(writes("await tx.roles.link(account.id, 'users', id, [userId], now);"));
  assert.ok(writes("tx.roles\n      .unlink(account.id, 'users', id, [userId])"));
  assert.ok(writes('await tx.roles.assign(account.id, userId, roleIds, at);'));
  assert.ok(writes('await tx.roles.withdraw(account.id, userId, roleIds);'));
  assert.ok(writes('await tx.roles.move(account.id, roleId, userId, at);'));
  assert.ok(!writes("await store.roles.linked(account.id, 'users', ids)"));
});
