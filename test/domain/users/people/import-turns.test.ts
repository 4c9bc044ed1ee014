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
  const run = (accountId: number, work: () => Promise<void>) =>
    inImportTurn(services, { id: accountId } as Account, work);
  const start = (accountId: number) =>
    run(accountId, () => {
      begun.push(accountId);
      return new Promise((resolve) => releases.push(resolve));
    });
  return { begun, releases, run, start };
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
  const { releases, run, start } = imports();
  const failing = () => run(1, () => Promise.reject(new Error('for the test')));
  await assert.rejects(failing(), /for the test/);
  await assert.rejects(failing(), /for the test/);
  const outcomes: string[] = [];
  for (let count = 0; count < 65; count += 1) {
    start(1).then(
      () => outcomes.push('done'),
      (error: { code: string }) => outcomes.push(error.code),
    );
  }
  await settled();
  assert.deepEqual(outcomes, ['unavailable']);
  // Whoever is left waiting keeps the process alive by a timer of 30 seconds.
  for (let done = 0; done < 64; done += 1) {
    assert.equal(releases.length, 1);
    releases.pop()?.();
    await settled();
  }
  assert.deepEqual(outcomes, ['unavailable', ...Array.from({ length: 64 }, () => 'done')]);
});
