/** How many imports by call are under way at a time. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Account } from '../../../../src/domain/accounts/account.ts';
import { inImportTurn } from '../../../../src/domain/users/people/import-turns.ts';
import type { Services } from '../../../../src/services.ts';

/** Imports that wait to be released, in the order in which they began. */
function imports() {
  const services = { passwords: {} as Services['passwords'] };
  const begun: number[] = [];
  const releases: (() => void)[] = [];
  const start = (accountId: number) =>
    inImportTurn(services, { id: accountId } as Account, () => {
      begun.push(accountId);
      return new Promise((resolve) => releases.push(resolve));
    });
  return { begun, releases, start };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('an account has one import at a time, and all accounts have four', async () => {
  const { begun, releases, start } = imports();
  const all = [1, 1, 2, 3, 4, 5].map(start);
  await settled();
  assert.deepEqual(begun, [1, 2, 3, 4]);
  releases[0]?.();
  await all[0];
  await settled();
  assert.equal(begun.length, 5);
  releases[1]?.();
  await all[2];
  await settled();
  assert.deepEqual(begun.toSorted(), [1, 1, 2, 3, 4, 5]);
  for (const release of releases) release();
  await Promise.all(all);
});

test('an import that fails gives its turn back, and of too many one is refused', async () => {
  const { releases, start } = imports();
  const services = { passwords: {} as Services['passwords'] };
  const failing = () => inImportTurn(services, { id: 1 } as Account, () => Promise.reject(new Error('for the test')));
  await assert.rejects(failing(), /for the test/);
  await assert.rejects(failing(), /for the test/);
  const outcomes = await Promise.race([
    Promise.any(Array.from({ length: 65 }, () => start(1).then(null, (error: { code: string }) => error.code))),
    settled().then(() => 'none'),
  ]);
  assert.equal(outcomes, 'unavailable');
  assert.ok(releases.length > 0);
});
