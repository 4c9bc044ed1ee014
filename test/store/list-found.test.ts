/** On PostgreSQL a page of a search and its total are found by one statement, unless very many are found. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { matching } from '../../src/domain/listing.ts';
import { verbsOn } from '../../src/store/knex/index.ts';
import { openPostgres } from '../../src/store/knex/postgres/engine.ts';
import { execute } from '../support/rows.ts';
import { openTestStore, type TestStore } from '../support/stores.ts';
import { newAccount, now } from './samples.ts';

let opened: TestStore;
before(async () => {
  opened = await openTestStore('postgres');
});
after(() => opened.dispose());

/** A page of two of the users found, and how many statements read users for it. */
async function search(accountId: number, page: number, part?: 'ids') {
  const engine = openPostgres({ url: opened.url, log: () => {}, waitMilliseconds: 60_000 });
  try {
    const sent: string[] = [];
    engine.db.on('query', ({ sql }) => sent.push(sql));
    const { users } = verbsOn(engine.db, engine.hot);
    const sort = { field: 'lastname', descending: true };
    const filters = [matching('lastname', '*oppe*')];
    const found = await users.page(accountId, { filters, sort, limit: 2, at: { page }, ...(part && { part }) });
    const statements = sent.filter((sql) => /"users"/.test(sql)).length;
    const columns = /\S+(?=, place_id, list_key, total)/.exec(sent.join())?.[0];
    const names = found.items.map(({ lastname }) => lastname);
    return { names, ids: found.ids, columns, total: found.total, after: found.after, statements };
  } finally {
    await engine.close();
  }
}

async function addHoppers(accountId: number, from: number, to: number): Promise<void> {
  const names = ['email', 'email_key', 'username', 'username_key'];
  await execute(
    opened.url,
    `insert into users (account_id, status, state, invalid_login_attempts, created_at, updated_at, lastname, ${names})
      select ${accountId}, 1, 1, 0, ${now}, ${now}, 'Hopper' || lpad(n::text, 5, '0'), ${names.map((name) => `'${name}' || n`)}
      from generate_series(${from}, ${to}) n`,
  );
}

test('one statement finds a page and the total, also of a page behind the last', async () => {
  const { id: accountId } = await newAccount(opened.store);
  await addHoppers(accountId, 1, 5);
  const first = await search(accountId, 1);
  assert.deepEqual(first.names, ['Hopper00005', 'Hopper00004']);
  assert.deepEqual([first.total, first.statements], [5, 1]);
  assert.ok(first.after);
  const last = await search(accountId, 3);
  assert.deepEqual([last.names, last.total, last.after, last.statements], [['Hopper00001'], 5, null, 1]);
  const behind = await search(accountId, 4);
  assert.deepEqual([behind.names, behind.total, behind.after, behind.statements], [[], 5, null, 1]);
});

test('a page of ids reads nothing else of a row', async () => {
  const { id: accountId } = await newAccount(opened.store);
  await addHoppers(accountId, 1, 3);
  const { ids, names, columns } = await search(accountId, 1, 'ids');
  assert.deepEqual([ids?.length, names, columns], [2, [], 'users.id']);
});

test('more than ten thousand are counted, and their page is read by itself', async () => {
  const { id: accountId } = await newAccount(opened.store);
  await addHoppers(accountId, 1, 10_000);
  const most = await search(accountId, 2);
  assert.deepEqual([most.names, most.total, most.statements], [['Hopper09998', 'Hopper09997'], 10_000, 1]);
  await addHoppers(accountId, 10_001, 10_001);
  const more = await search(accountId, 2);
  assert.deepEqual([more.names, more.total, more.statements], [['Hopper09999', 'Hopper09998'], 10_001, 3]);
});
