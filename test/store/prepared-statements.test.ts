/** Prepared statements of sessions, after a migration that changes what they answer. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { translate } from '../../src/store/knex/errors.ts';
import { createStore } from '../../src/store/knex/index.ts';
import { openPostgres } from '../../src/store/knex/postgres/engine.ts';
import { poolSize } from '../../src/store/knex/postgres/pool-sizes.ts';
import { run } from '../../src/store/knex/postgres/statements.ts';
import { mostAttemptsOutdated } from '../../src/store/knex/transact.ts';
import { execute } from '../support/rows.ts';
import { openTestStore, type TestStore } from '../support/stores.ts';
import { newAccount, newUser } from './samples.ts';

describe('a statement that was prepared before its table changed', () => {
  let opened: TestStore;
  let engine: ReturnType<typeof openPostgres>;
  const ask = (db = engine.db) => run(db, 'things', 'select * from things', []);
  const change = (sql: string) => execute(opened.url, sql);
  before(async () => {
    opened = await openTestStore('postgres');
    engine = openPostgres({ url: opened.url, log: () => {}, waitMilliseconds: 60_000 });
    await change('create table things (number int)');
    await change('insert into things values (1)');
  });
  after(async () => {
    await engine.close();
    await opened.dispose();
  });

  test('is prepared again', async () => {
    assert.deepEqual(await ask(), [{ number: 1 }]);
    await change('alter table things add column name text');
    assert.deepEqual(await ask(), [{ number: 1, name: null }]);
    assert.deepEqual(await ask(), [{ number: 1, name: null }]);
  });

  test('ends a transaction as an outage, once: its connection is left', async () => {
    const inTransaction = () =>
      engine.db.transaction((tx) => ask(tx)).catch((error) => Promise.reject(translate(error)));
    await inTransaction();
    await change('alter table things drop column name');
    await assert.rejects(inTransaction(), {
      code: 'unavailable',
      detail: { retryAfterSeconds: 1, reason: 'the store is unavailable: a statement was prepared before a migration' },
    });
    assert.deepEqual(await inTransaction(), [{ number: 1 }]);
  });

  test('ends no transaction of the store, whichever connections prepared it', async () => {
    const store = createStore(engine);
    const user = await newUser(store, (await newAccount(store)).id);
    const find = () => store.transaction((tx) => tx.users.find(user.accountId, user.id));
    const { promise: all, resolve: allBegan } = Promise.withResolvers<void>();
    let begun = 0;
    const holding = () =>
      store.transaction(async (tx) => {
        begun += 1;
        if (begun === poolSize) allBegan();
        await all;
        return tx.users.find(user.accountId, user.id);
      });
    assert.ok(poolSize < mostAttemptsOutdated);
    await Promise.all(Array.from({ length: poolSize }, holding));
    await change('alter table users alter column invalid_login_attempts type bigint');
    for (let count = 0; count < poolSize; count += 1) assert.deepEqual(await find(), user);
  });

  for (const count of [1, 3]) {
    test(`is planned for good, not for each batch, when it looks up ${count}`, async () => {
      const { hot, db } = engine;
      const ids = Array.from({ length: count }, (_, index) => index + 1);
      const planned = await db.transaction(async (tx): Promise<{ readonly generic_plans: number }[]> => {
        await tx.raw('deallocate all');
        const { parsedStatements } = (await tx.client.acquireConnection()).connection;
        for (const name of Object.keys(parsedStatements)) delete parsedStatements[name];
        for (let times = 0; times < 20; times += 1) {
          await hot.findAccessTokens(tx, 1, ids);
          await hot.findCredentialTokens(tx, 1, ids);
        }
        const own = tx('pg_prepared_statements').whereIn('name', ['access-tokens-plain', 'credential-tokens']);
        return await own.select('generic_plans');
      });
      assert.equal(planned.length, 2);
      for (const { generic_plans: generic } of planned) assert.ok(generic >= 20 - 5, `${generic} of 20`);
    });
  }

  test('and what PostgreSQL does not support is not sent again, and no outage', async () => {
    const unsupported = run(engine.db, 'unsupported', 'select count(*) from things for update', []);
    const error = await unsupported.then(() => assert.fail(), translate);
    assert.equal((error as { code: string }).code, '0A000');
  });
});
