/** Nobody writes how a user signs in but `changeUser`, which tells the user of it. */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const source = new URL('../../../src/', import.meta.url).pathname;
const theOne = 'domain/means/change-user.ts';
/** Other columns of a user that are not means of signing in. */
const harmless = /^users\.update\(\s*[\w.]+,\s*[\w.]+,\s*\{\s*(?:lastLogin|invitationSentAt)\b[^,}]*\}\s*\)/;

function writesIn(text: string): string[] {
  const found = [...text.matchAll(/users\s*\.update\(/g)].map(({ index }) => text.slice(index, index + 200));
  return found.filter((call) => !harmless.test(call));
}

test('nothing else in the program updates users', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const writers = files.filter((name) => writesIn(readFileSync(join(source, name), 'utf8')).length > 0);
  assert.deepEqual(writers, [theOne]);
});

test('a planted writer is found, and what is harmless is not', () => {
  for (const planted of [
    'await tx.users.update(account.id, id, { email, emailKey });',
    'await tx.users.update(account.id, id, { lastLogin: now, passwordDigest });',
    'users.update(account.id, user.id, changes)',
    'tx.users\n      .update(account.id, user.id, { ...withPassword(user, digest, now), updatedAt: now })',
  ]) {
    assert.equal(writesIn(planted).length, 1, planted);
  }
  const signedIn = 'await tx.users.update(account.id, user.id, { lastLogin: services.clock.now() });';
  assert.deepEqual(writesIn(signedIn), []);
});
