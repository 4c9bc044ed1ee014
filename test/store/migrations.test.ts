import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { migrationNames } from '../../src/store/knex/migrations/index.ts';
import type { Store } from '../../src/store/store.ts';
import { isWhole } from '../support/sample.ts';
import { databases, emptyDatabase, openPatientStore, openTestStore } from '../support/stores.ts';
import { newCast, newCode, newGrant, now, present } from './samples.ts';

/** A row in every table that the verbs of a sign-in write. */
async function fill(store: Store): Promise<{ accountId: number; grantId: number }> {
  const cast = await newCast(store);
  const grant = await newGrant(store, cast);
  const role = await store.roles.create({ accountId: cast.accountId, name: 'staff', createdAt: now });
  await store.roles.link(cast.accountId, 'users', role.id, [cast.userId], now);
  await store.authorizations.createCode({ ...newCode(cast), usedAt: now, grantId: grant.id });
  const { accountId, userId } = cast;
  for (const digest of ['older', 'newer']) {
    const link = { createdAt: now, expiresAt: now + 1, usedAt: null, meansVersion: 0 };
    await store.passwordResets.add({ accountId, userId, digest, ...link });
  }
  await store.grants.consumeAll([present(grant)]);
  await store.facts.keep('name', 'value');
  return { accountId: cast.accountId, grantId: grant.id };
}

for (const kind of databases) {
  describe(`migrations on ${kind}`, () => {
    test('up, down and up again, each time with rows', async () => {
      const { store, dispose } = await openTestStore(kind);
      try {
        for (let round = 0; round < (isWhole ? 2 : 1); round += 1) {
          const { accountId, grantId } = await fill(store);
          assert.equal((await store.grants.find(accountId, grantId))?.generation, 1);
          assert.deepEqual(await store.rollback(migrationNames.length), { applied: [], pending: migrationNames });
          await assert.rejects(store.accounts.list());
          assert.deepEqual(await store.migrate(), { applied: migrationNames, pending: [] });
          assert.deepEqual(await store.accounts.list(), []);
        }
        assert.deepEqual(await store.migrate(), { applied: migrationNames, pending: [] });
        await fill(store);
        assert.deepEqual(await store.rollback(migrationNames.length + 5), { applied: [], pending: migrationNames });
      } finally {
        await dispose();
      }
    });

    test('migrating down to the first migration and up again keeps the rows (D7)', async () => {
      const { store, dispose } = await openTestStore(kind);
      try {
        const { accountId, grantId } = await fill(store);
        const [accounts, grant] = [await store.accounts.list(), await store.grants.find(accountId, grantId)];
        assert.deepEqual((await store.rollback(migrationNames.length - 1)).applied, migrationNames.slice(0, 1));
        assert.deepEqual(await store.accounts.list(), accounts);
        assert.deepEqual(await store.migrate(), { applied: migrationNames, pending: [] });
        assert.deepEqual(await store.accounts.list(), accounts);
        assert.deepEqual(await store.grants.find(accountId, grantId), grant);
        assert.equal(await store.facts.read('name'), 'value');
        assert.ok((await store.generation(accountId)) !== null);
        await fill(store);
      } finally {
        await dispose();
      }
    });

    test('opening the store and reading the status change nothing', async () => {
      const { url, drop } = await emptyDatabase(kind);
      const store = await openPatientStore(url);
      try {
        await store.ping();
        assert.deepEqual(await store.status(), { applied: [], pending: migrationNames });
        await assert.rejects(store.accounts.list());
      } finally {
        await store.close();
        await drop();
      }
    });

    test('four stores of one process that migrate at once', async () => {
      const { url, drop } = await emptyDatabase(kind);
      const stores = await Promise.all(Array.from({ length: 4 }, () => openPatientStore(url)));
      try {
        for (const status of await Promise.all(stores.map((store) => store.migrate()))) {
          assert.deepEqual(status, { applied: migrationNames, pending: [] });
        }
        await Promise.all(stores.map(fill));
      } finally {
        await Promise.all(stores.map((store) => store.close()));
        await drop();
      }
    });

    test('two processes that migrate at once, after one that died while migrating', async () => {
      const { url, drop } = await emptyDatabase(kind);
      const start = (how: string) => fork(new URL('migrate-process.ts', import.meta.url), [url, how], { silent: true });
      try {
        const dying = start('die');
        assert.equal((await once(dying, 'exit'))[1], 'SIGKILL');
        const [first, second] = [start('migrate'), start('migrate')];
        const codes = await Promise.all([once(first, 'exit'), once(second, 'exit')]);
        assert.deepEqual(
          codes.map(([code]) => code),
          [0, 0],
        );
        const store = await openPatientStore(url);
        assert.deepEqual(await store.status(), { applied: migrationNames, pending: [] });
        await fill(store);
        await store.close();
      } finally {
        await drop();
      }
    });
  });
}
