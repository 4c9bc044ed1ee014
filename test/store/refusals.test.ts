import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createStore } from '../../src/store/knex/index.ts';
import { openPostgres } from '../../src/store/knex/postgres/engine.ts';
import { openTestStore } from '../support/stores.ts';
import { wayTo } from '../support/way.ts';
import { newAccount, now, unique } from './samples.ts';

test('refusals of several accounts are stored by a statement for each', async () => {
  const opened = await openTestStore('postgres');
  const engine = openPostgres({ ...wayTo(opened.url), log: () => {}, waitMilliseconds: 60_000 });
  const store = createStore(engine);
  try {
    const accounts = [await newAccount(store), await newAccount(store)];
    const made = [0, 1, 0].map((place) => ({
      accountId: accounts[place]?.id ?? 0,
      requestId: unique(),
      at: now,
      source: '192.0.2.1',
      detail: '{}',
      expiresAt: now + 1000,
    }));
    const inserts: string[] = [];
    engine.db.on('query', ({ sql }: { readonly sql: string }) => {
      if (sql.startsWith('insert into "refusals"')) inserts.push(sql);
    });
    await store.refusals.add(made);
    assert.equal(inserts.length, accounts.length);
    for (const refusal of made)
      assert.deepEqual(await store.refusals.find(refusal.accountId, refusal.requestId, now), refusal);
  } finally {
    await engine.close();
    await opened.dispose();
  }
});
