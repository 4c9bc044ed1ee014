/**
 * Searching for a part of a text answers what reading every user would answer, in the same order, whoever wrote the
 * user and however far the index has got.
 */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { examineSearch } from '../../src/cli/search-findings.ts';
import { matching } from '../../src/domain/listing.ts';
import { openStore } from '../../src/store/knex/index.ts';
import type { ListFilter } from '../../src/store/listing.ts';
import type { Store } from '../../src/store/store.ts';
import { startPooler } from '../support/pooler.ts';
import { analyze, ask, execute } from '../support/rows.ts';
import { runsOf, sampled } from '../support/sample.ts';
import { openTestStore, type TestStore } from '../support/stores.ts';
import { newAccount, newUser, now, unique } from './samples.ts';
import { onEachDatabase, type Subject } from './suite.ts';

/** More than are read through in any case. */
const many = { sqlite: 2_400, postgres: 5_400 };
const never = new AbortController().signal;

/** The same in every run. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const scripts = [
  'abcdeABCDE',
  'аяжщАЯЖЩ',
  'αβγωΑΒΓΩ',
  '山田太郎愛子',
  'مرحباعل',
  '😀🎉🚀𝒳',
  'ßıİſ',
  '%_\\*?"\'()',
  'e\u0301n\u0303 -',
];

function randomText(random: (below: number) => number): string {
  const script = [...(scripts[random(scripts.length)] ?? '')];
  return Array.from({ length: 1 + random(9) }, () => script[random(script.length)] ?? '').join('');
}

const fields = [
  ['email', 'email_key'],
  ['username', 'username_key'],
  ['firstname', 'firstname'],
  ['lastname', 'lastname'],
  ['title', 'title'],
  ['department', 'department'],
  ['company', 'company'],
  ['phone', 'phone'],
  ['external_id', 'external_id'],
] as const;

const quoted = (text: string | null) => (text === null ? 'null' : `'${text.replaceAll("'", "''")}'`);

/** As any process writes a user: it knows nothing of an index. */
function addUsers(url: string, accountId: number, random: (below: number) => number, count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, place) => {
    const [email, username] = [`${randomText(random)}${place}@${randomText(random)}`, `${randomText(random)}${place}`];
    const others = fields.slice(2).map(() => (random(5) === 0 ? null : randomText(random)));
    return [email, email, username, username, ...others].map(quoted).join(', ');
  });
  const columns = `email, email_key, username, username_key, ${fields
    .slice(2)
    .map(([, column]) => column)
    .join(', ')}`;
  const values = rows.map((row) => `(${accountId}, 1, 1, 0, ${now}, ${now}, ${row})`);
  return execute(
    url,
    `insert into users (account_id, status, state, invalid_login_attempts, created_at, updated_at, ${columns})
      values ${values.join(', ')}`,
  );
}

type Row = Readonly<Record<string, unknown>>;

async function readAll(url: string, accountId: number): Promise<readonly Row[]> {
  const columns = ['id', ...fields.map(([, column]) => column)].join(', ');
  return ask(
    url,
    `select ${columns} from users where account_id = ${accountId} and id not in
      (select object_id from removals where account_id = ${accountId} and kind = 'user')`,
  );
}

function fits(row: Row, { field, test: how, values: [wanted] }: ListFilter): boolean {
  const column = fields.find(([name]) => name === field)?.[1] ?? '';
  const [text, part] = [String(row[column] ?? ''), String(wanted)];
  return { is: text === part, begins: text.startsWith(part), ends: text.endsWith(part), holds: text.includes(part) }[
    how as 'is'
  ];
}

const bytes = (text: unknown) => Buffer.from(String(text ?? ''));

/** What the list of these filters has, by looking at every row. */
function expected(rows: readonly Row[], filters: readonly ListFilter[], field: string, descending: boolean): number[] {
  const column = fields.find(([name]) => name === field)?.[1] ?? 'id';
  const order = (one: Row, other: Row) =>
    (column === 'id' ? 0 : Buffer.compare(bytes(one[column]), bytes(other[column]))) ||
    Number(one['id']) - Number(other['id']);
  const found = rows.filter((row) => filters.every((filter) => fits(row, filter))).toSorted(order);
  return (descending ? found.toReversed() : found).map((row) => Number(row['id']));
}

/** All pages, by number and from position to position. */
async function listed(store: Store, accountId: number, filters: readonly ListFilter[], field: string, down: boolean) {
  const query = { sort: { field, descending: down }, filters, limit: 300 };
  const first = await store.users.page(accountId, { ...query, at: { page: 1 } });
  const ids = first.items.map(({ id }) => id);
  for (let { after } = first; after !== null; ) {
    const page = await store.users.page(accountId, { ...query, at: { after } });
    ids.push(...page.items.map(({ id }) => id));
    after = page.after;
  }
  return { ids, total: first.total };
}

/** A part of some user's text, or of nobody's, with a star at one end, at both, or at none. */
function randomFilter(random: (below: number) => number, rows: readonly Row[]): ListFilter {
  const [field, column] = fields[random(fields.length)] ?? fields[0];
  const text = [...String(rows[random(rows.length)]?.[column] ?? '')];
  const from = random(text.length + 1);
  const part = random(12) === 0 ? randomText(random) : text.slice(from, from + random(7)).join('');
  const [open, close] =
    [
      ['*', ''],
      ['', '*'],
      ['*', '*'],
      ['*', '*'],
      ['', ''],
    ][random(5)] ?? [];
  return matching(field, `${open}${part}${close}`);
}

async function indexAll({ store }: Subject, most = Number.POSITIVE_INFINITY): Promise<void> {
  for (let steps = 0; steps < most; steps += 1) if ((await store.indexUsers(50, never)).isLast) return;
}

/** An eighth of the searches; the drill M11 makes all of them. */
async function compare({ store, url }: Subject, accountId: number, random: (below: number) => number, times: number) {
  const rows = await readAll(url, accountId);
  for (let turn = 0; turn < runsOf(times); turn += 1) {
    const filters = Array.from({ length: 1 + (turn % 7 === 0 ? 1 : 0) }, () => randomFilter(random, rows));
    const field = ['id', 'email', 'lastname', 'username'][random(4)] ?? 'id';
    const down = random(2) === 1;
    const found = await listed(store, accountId, filters, field, down);
    const wanted = expected(rows, filters, field, down);
    assert.deepEqual(found, { ids: wanted, total: wanted.length }, JSON.stringify({ filters, field, down }));
  }
}

onEachDatabase('searching users for a part of a text', (subject) => {
  test('finds what reading everybody would, before, while and after they are indexed', async () => {
    const { store, url } = subject;
    const random = createRandom(58);
    const { id: accountId } = await newAccount(store);
    const { id: other } = await newAccount(store);
    await addUsers(url, accountId, random, many[store.kind]);
    await addUsers(url, other, random, 50);
    await compare(subject, accountId, random, 8);
    await analyze({ store, url });
    await indexAll(subject, 3);
    await compare(subject, accountId, random, 8);
    await indexAll(subject);
    assert.equal((await store.findSearchStanding()).state, 'ready');
    await compare(subject, accountId, random, 60);
    await compare(subject, other, random, 8);
    // As the release before writes and removes; the first ones are removed by this one.
    const rows = await readAll(url, accountId);
    for (const { id } of rows.slice(0, 5)) await store.users.remove(accountId, Number(id), now);
    for (const { id } of rows.slice(10, 40)) {
      await execute(url, `update users set lastname = ${quoted(randomText(random))} where id = ${Number(id)}`);
    }
    await execute(url, `delete from users where id = ${Number(rows[50]?.['id'])}`);
    await compare(subject, accountId, random, 20);
    await indexAll(subject);
    await compare(subject, accountId, random, 20);
  });

  test('a user is found by what this release writes, at once, and not by what was there before', async () => {
    const { store, url } = subject;
    const random = createRandom(7);
    const { id: accountId } = await newAccount(store);
    await addUsers(url, accountId, random, many.sqlite);
    await analyze({ store, url });
    await indexAll(subject);
    const email = `${unique('needle')}@example.com`;
    const { id } = await newUser(store, accountId, { email, emailKey: email, lastname: 'Lovelace' });
    const search = async (field: string, text: string) =>
      (await listed(store, accountId, [matching(field, text)], 'id', false)).ids;
    for (const step of ['waiting', 'indexed']) {
      assert.deepEqual(await search('email', `*${email.slice(3, 20)}*`), [id], step);
      assert.deepEqual(await search('lastname', '*velace'), [id], step);
      assert.deepEqual(await search('lastname', '*lovelace*'), [], step);
      await indexAll(subject);
    }
    await store.users.update(accountId, id, { lastname: 'Hopper' });
    for (const step of ['waiting', 'indexed']) {
      assert.deepEqual(await search('lastname', '*velace'), [], step);
      assert.deepEqual(await search('lastname', '*oppe*'), [id], step);
      await indexAll(subject);
    }
    await store.users.remove(accountId, id, now);
    assert.deepEqual(await search('lastname', '*oppe*'), []);
  });

  test('a user who is removed leaves no entry, whichever release removes the user', async () => {
    const { store, url } = subject;
    if (store.kind === 'postgres') return;
    const { id: accountId } = await newAccount(store);
    const users = [await newUser(store, accountId), await newUser(store, accountId), await newUser(store, accountId)];
    await indexAll(subject);
    const entries = async () =>
      (await ask(url, `select id from user_search_docsize where id in (${users.map(({ id }) => id).join(', ')})`)).map(
        ({ id }) => Number(id),
      );
    const [removed, deleted, kept] = users.map(({ id }) => id);
    assert.deepEqual(await entries(), [removed, deleted, kept]);
    await store.users.remove(accountId, Number(removed), now);
    assert.deepEqual(await entries(), [deleted, kept]);
    // As the release before ends a removal. A store that was opened later sweeps from the first entry.
    await execute(url, `delete from users where id = ${Number(deleted)}`);
    const later = await openStore({ url });
    try {
      for (let steps = 0; (await entries()).length > 1; steps += 1) {
        assert.ok(steps < 100, 'the sweep goes on');
        await later.indexUsers(50, never);
      }
    } finally {
      await later.close();
    }
    assert.deepEqual(await entries(), [kept]);
  });

  test('finds what many have, in every order, with those who wait and without those who have changed', async () => {
    const { store, url } = subject;
    const random = createRandom(26);
    const { id: accountId } = await newAccount(store);
    await addUsers(url, accountId, random, 2_900);
    await execute(
      url,
      `update users set company = ${quoted(randomText(random))} || 'common' || (id % 7)
        where account_id = ${accountId} and id % 9 <> 0`,
    );
    await analyze({ store, url });
    await indexAll(subject);
    const before = await readAll(url, accountId);
    assert.ok(before.filter((row) => String(row['company']).includes('common')).length > 2_400, 'many have it');
    // In the index they still have it, and the others do not have it yet.
    for (const row of before.slice(0, 60)) {
      const company = String(row['company']).includes('common') ? 'rare' : 'uncommon';
      await execute(url, `update users set company = '${company}' where id = ${Number(row['id'])}`);
    }
    await addUsers(url, accountId, random, 20);
    await store.users.remove(accountId, Number(before[100]?.['id']), now);
    const rows = await readAll(url, accountId);
    const common = matching('company', '*common*');
    const others = [[], [matching('company', '*ommon3')], [matching('lastname', '*a*')]];
    const orders = ['id', 'email', 'lastname', 'company'].flatMap((field) =>
      [false, true].map((down) => ({ field, down })),
    );
    const searches = others.flatMap((more) => orders.map((order) => ({ filters: [common, ...more], ...order })));
    // Each order once: the three sets of filters take them by turns.
    for (const { filters, field, down } of sampled(searches, 3)) {
      const wanted = expected(rows, filters, field, down);
      const found = await listed(store, accountId, filters, field, down);
      assert.deepEqual(found, { ids: wanted, total: wanted.length }, JSON.stringify({ filters, field, down }));
    }
  });

  test('says how it stands', async () => {
    const { store } = subject;
    await indexAll(subject);
    const { state } = await store.findSearchStanding();
    assert.equal(state, 'ready');
    if (store.kind === 'postgres') return;
    const { id: accountId } = await newAccount(store);
    await newUser(store, accountId);
    assert.equal((await store.findSearchStanding()).state, 'building');
    let indexed = 0;
    for (let isLast = false; !isLast; ) {
      const slice = await store.indexUsers(50, never);
      indexed += slice.indexed;
      isLast = slice.isLast;
    }
    assert.equal(indexed, 1);
    assert.deepEqual(await store.indexUsers(50, never), { indexed: 0, isLast: true });
    assert.equal((await store.findSearchStanding()).state, 'ready');
  });
});

describe('the index of parts of texts on PostgreSQL', () => {
  let opened: TestStore;
  before(async () => {
    opened = await openTestStore('postgres');
    const { id: accountId } = await newAccount(opened.store);
    await addUsers(opened.url, accountId, createRandom(3), many.postgres);
    await execute(opened.url, 'analyze users');
  });
  after(() => opened.dispose());

  const definition = async () =>
    (await ask(opened.url, `select pg_get_indexdef(to_regclass('users_search_parts')) as made`))[0]?.['made'];

  test('is not tried through a pooler in transaction mode; the documented statements make the same', async () => {
    const pooler = await startPooler(opened.url, { mode: 'transaction' });
    const store = await openStore({ url: pooler.url, pooling: 'transaction', acquireTimeoutMilliseconds: 60_000 });
    try {
      assert.deepEqual(await store.findSearchStanding(), { state: 'missing', lack: 'direct_connection' });
      const { status, detail } = await examineSearch(store);
      assert.equal(status, 'off');
      assert.match(detail, /through a pooler in transaction mode; make it by hand$/);
      const told = { indexed: 0, isLast: true, refused: 'lacking: direct_connection' };
      assert.deepEqual(await store.indexUsers(50, never), told);
      assert.deepEqual(await store.indexUsers(50, never), { indexed: 0, isLast: true });
      assert.equal(await definition(), null);
    } finally {
      await store.close();
      await pooler.close();
    }
    const page = await readFile(new URL('../../docs/operations.md', import.meta.url), 'utf8');
    const documented = /^create index concurrently [^;]*users_search_parts[^;]*;/m.exec(page)?.[0] ?? '';
    await execute(opened.url, 'create extension if not exists pg_trgm');
    await execute(opened.url, documented);
    const byHand = await definition();
    await execute(opened.url, 'drop index users_search_parts');
    await opened.store.indexUsers(50, never);
    assert.equal(await definition(), byHand);
    assert.deepEqual(await opened.store.findSearchStanding(), { state: 'ready', lack: null });
  });

  test('is made with the extension in a schema of its own, and what is left half made is made again', async () => {
    await execute(opened.url, 'drop index if exists users_search_parts');
    await execute(opened.url, 'drop extension if exists pg_trgm');
    await execute(opened.url, 'create schema "Extensions"');
    await execute(opened.url, 'create extension pg_trgm schema "Extensions"');
    await execute(opened.url, 'create index users_search_parts on users (id)');
    await execute(
      opened.url,
      "update pg_index set indisvalid = false where indexrelid = to_regclass('users_search_parts')",
    );
    const store = await openStore({ url: opened.url });
    try {
      assert.equal((await store.findSearchStanding()).state, 'missing');
      const stopped = new AbortController();
      stopped.abort();
      assert.deepEqual(await store.indexUsers(50, stopped.signal), { indexed: 0, isLast: true });
      assert.equal((await store.findSearchStanding()).state, 'missing');
      assert.deepEqual(await store.indexUsers(50, never), { indexed: 0, isLast: true });
      assert.equal((await store.findSearchStanding()).state, 'ready');
      assert.match(String(await definition()), /using gin .*"Extensions"\.gin_trgm_ops/i);
    } finally {
      await store.close();
    }
  });
});
