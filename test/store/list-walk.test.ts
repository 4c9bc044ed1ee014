/** Lists of what links lead to: every page of them is right, and reads no more links than it shows. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Engine } from '../../src/store/knex/engine.ts';
import { verbsOn } from '../../src/store/knex/index.ts';
import { openPostgres } from '../../src/store/knex/postgres/engine.ts';
import { openSqlite } from '../../src/store/knex/sqlite/engine.ts';
import type { ListFilter, ListPage, ListPosition, ListQuery } from '../../src/store/listing.ts';
import type { StoreVerbs } from '../../src/store/store.ts';
import { ask } from '../support/rows.ts';
import { databases, openTestStore, type TestStore } from '../support/stores.ts';
import { newAccount, newClient, newUser, now, unique } from './samples.ts';
import { onEachDatabase } from './suite.ts';

type PageOf = (query: ListQuery) => Promise<ListPage<{ readonly id: number }>>;

const linkedTo = (field: string, ...values: number[]): ListFilter => ({ field, test: 'in', values });
const ascending = (one: number, other: number) => one - other;

/** The ids of all pages one way, each page told by its neighbours whether there is one before it. */
async function walk(page: PageOf, query: Omit<ListQuery, 'at'>, way: 'after' | 'before'): Promise<number[]> {
  const seen: number[] = [];
  let at: ListQuery['at'] = { page: 1 };
  if (way === 'before') {
    // Beyond the last one of the order.
    at = { before: { key: query.sort.descending ? 0 : 2 ** 40, id: query.sort.descending ? 0 : 2 ** 40 } };
  }
  for (;;) {
    const found: ListPage<{ readonly id: number }> = await page({ ...query, at });
    const ids = found.items.map(({ id }) => id);
    assert.equal(
      found[way === 'after' ? 'before' : 'after'] !== null,
      seen.length > 0,
      'a neighbour on the side it came from',
    );
    if (way === 'after') seen.push(...ids);
    else seen.unshift(...ids);
    const next: ListPosition | null = found[way];
    if (!next) return seen;
    at = way === 'after' ? { after: next } : { before: next };
  }
}

/** Both ways, in both orders, by pages of several sizes. */
async function assertWalks(page: PageOf, filters: readonly ListFilter[], expected: readonly number[]): Promise<void> {
  for (const descending of [false, true]) {
    const wanted = expected.toSorted(descending ? (one, other) => other - one : ascending);
    for (const limit of [1, 3, 100]) {
      const query = { sort: { field: 'id', descending }, filters, limit };
      const where = JSON.stringify(query);
      assert.deepEqual(await walk(page, query, 'after'), wanted, where);
      assert.equal((await page({ ...query, at: { page: 1 } })).total, expected.length, where);
      if (expected.length > 0) assert.deepEqual(await walk(page, query, 'before'), wanted, where);
    }
  }
}

/** Every third of so many, beginning with one of them: links that overlap. */
async function newLinked(store: StoreVerbs) {
  const { id: accountId } = await newAccount(store);
  const userIds: number[] = [];
  const appIds: number[] = [];
  const roleIds: number[] = [];
  for (let number = 0; number < 12; number += 1) {
    userIds.push((await newUser(store, accountId, { firstname: number % 2 === 0 ? 'Even' : 'Odd' })).id);
  }
  for (let number = 0; number < 6; number += 1) {
    appIds.push((await newClient(store, accountId)).appId);
    roleIds.push((await store.roles.create({ accountId, name: unique(), createdAt: now })).id);
  }
  return { accountId, userIds, appIds, roleIds };
}

onEachDatabase('lists by links', (subject) => {
  test('users of roles, administrators of them, and those who are neither', async () => {
    const { store } = subject;
    const { accountId, userIds, roleIds } = await newLinked(store);
    const [one = 0, other = 0, empty = 0] = roleIds;
    const [ofOne, ofOther] = [userIds.filter((_, at) => at % 3 === 0), userIds.filter((_, at) => at % 4 < 2)];
    for (const link of ['users', 'admins'] as const) {
      await store.roles.link(accountId, link, one, ofOne, now);
      await store.roles.link(accountId, link, other, ofOther, now);
    }
    const page: PageOf = (query) => store.users.page(accountId, query);
    for (const [has, lacks] of [
      ['role', 'other_role'],
      ['administered_role', 'other_administered_role'],
    ] as const) {
      await assertWalks(page, [linkedTo(has, one)], ofOne);
      await assertWalks(page, [linkedTo(has, one, other)], [...new Set([...ofOne, ...ofOther])]);
      await assertWalks(page, [linkedTo(has, empty)], []);
      await assertWalks(
        page,
        [linkedTo(lacks, one)],
        userIds.filter((id) => !ofOne.includes(id)),
      );
      await assertWalks(page, [linkedTo(lacks, empty)], userIds);
      await assertWalks(
        page,
        [linkedTo(has, one), linkedTo(lacks, other)],
        ofOne.filter((id) => !ofOther.includes(id)),
      );
      const person: ListFilter = { field: 'person', test: 'begins', values: ['Ev', 'ev'] };
      const evenOthers = userIds.filter((id, at) => at % 2 === 0 && !ofOne.includes(id));
      await assertWalks(page, [linkedTo(lacks, one), person], evenOthers);
      const even: ListFilter = { field: 'firstname', test: 'is', values: ['Even'] };
      await assertWalks(
        page,
        [linkedTo(has, other), even],
        ofOther.filter((id) => userIds.indexOf(id) % 2 === 0),
      );
    }
  });

  test('users of apps and apps of users, directly and through roles, each once', async () => {
    const { store } = subject;
    const { accountId, userIds, appIds, roleIds } = await newLinked(store);
    const [app = 0, second = 0] = appIds;
    const [direct, byRole] = [userIds.slice(0, 4), userIds.slice(2, 9)];
    for (const userId of direct) await store.access.grant(accountId, app, { userId }, now);
    for (const [at, roleId] of roleIds.entries()) {
      await store.roles.link(
        accountId,
        'users',
        roleId,
        byRole.filter((_, number) => number % 3 === at % 3),
        now,
      );
      await store.access.grant(accountId, at % 2 === 0 ? app : second, { roleId }, now);
    }
    const ofApp = [...new Set([...direct, ...byRole])];
    const users: PageOf = (query) => store.users.page(accountId, query);
    await assertWalks(users, [linkedTo('app', app)], ofApp);
    await assertWalks(users, [linkedTo('app', second)], byRole);
    await assertWalks(users, [linkedTo('app', app, second)], ofApp);
    const [first = 0, , both = 0] = userIds;
    const appsOf =
      (userId: number): PageOf =>
      async (query) => {
        const found = await store.clients.pageOfUser(accountId, userId, query);
        return { ...found, items: found.items.map(({ appId: id }) => ({ id })) };
      };
    await assertWalks(appsOf(first), [], [app]);
    await assertWalks(appsOf(both), [], [app, second]);
    const [roleId = 0] = roleIds;
    await store.roles.link(accountId, 'apps', roleId, appIds, now);
    await assertWalks(appsOf(both), [], appIds);
    const ofRole: PageOf = async (query) => {
      const found = await store.clients.pageOfRole(accountId, roleId, query);
      return { ...found, items: found.items.map(({ appId: id }) => ({ id })) };
    };
    await assertWalks(ofRole, [], appIds);
    const roles: PageOf = (query) => store.roles.page(accountId, query);
    await assertWalks(roles, [linkedTo('app', second)], [roleId, ...roleIds.filter((_, at) => at % 2 === 1)]);
  });

  test('where hardly any of many members satisfies another filter, those who do are found', async () => {
    const { store } = subject;
    const { accountId, userIds, roleIds } = await newLinked(store);
    const [roleId = 0] = roleIds;
    const many = await addUsers(subject.url, accountId, 1100);
    await store.roles.link(accountId, 'users', roleId, [...many, ...userIds], now);
    // Numbered before all the others, so that an order backwards follows the others in vain.
    const odd: ListFilter = { field: 'firstname', test: 'is', values: ['Odd'] };
    await assertWalks(
      (query) => store.users.page(accountId, query),
      [linkedTo('role', roleId), odd],
      userIds.filter((_, at) => at % 2 === 1),
    );
  });

  test('in another order, where much is linked and where little is', async () => {
    const { store } = subject;
    const { accountId, userIds, roleIds, appIds } = await newLinked(store);
    const [roleId = 0] = roleIds;
    const [appId = 0] = appIds;
    const many = await addUsers(subject.url, accountId, 2200);
    const members = [...many.filter((_, at) => at % 50 !== 0), ...userIds.slice(0, 5)];
    await store.roles.link(accountId, 'users', roleId, members, now);
    await store.access.grant(accountId, appId, { roleId }, now);
    const emails = new Map((await store.users.list(accountId)).map(({ id, email }) => [id, email ?? '']));
    const inOrder = (ids: readonly number[]) =>
      ids.toSorted((one, other) => ((emails.get(one) ?? '') < (emails.get(other) ?? '') ? -1 : 1));
    const few = members.filter((_, at) => at % 3 === 0);
    const [, smallRole = 0] = roleIds;
    await store.roles.link(accountId, 'users', smallRole, few, now);
    for (const [filter, expected] of [
      [linkedTo('role', roleId), inOrder(members)],
      [linkedTo('app', appId), inOrder(members)],
      [linkedTo('role', smallRole), inOrder(few)],
    ] as const) {
      const sort = { field: 'email', descending: false };
      const query = { sort, filters: [filter], limit: 333 };
      const page: PageOf = (wanted) => store.users.page(accountId, wanted);
      assert.deepEqual(await walk(page, query, 'after'), expected);
      const backwards = { ...query, sort: { ...sort, descending: true } };
      assert.deepEqual(await walk(page, backwards, 'after'), expected.toReversed());
      const [middle = 0, next = 0] = expected.slice(1000 % expected.length);
      const at = { before: { key: emails.get(next) ?? '', id: next } };
      const { items, total } = await page({ ...query, limit: 1, at });
      assert.deepEqual([items.map(({ id }) => id), total], [[middle], null]);
      assert.equal((await page({ ...query, at: { page: 1 } })).total, expected.length);
    }
  });
});

/** Past the verbs, which add one user at a time. */
async function addUsers(url: string, accountId: number, count: number): Promise<number[]> {
  const open = url.startsWith('sqlite:') ? openSqlite : openPostgres;
  const engine = open({ url, log: () => {}, waitMilliseconds: 60_000 });
  const common = { account_id: accountId, status: 1, invalid_login_attempts: 0, created_at: now, updated_at: now };
  const rows = Array.from({ length: count }, (_, index) => ({ ...common, email: `u${index}`, email_key: `u${index}` }));
  await engine.db.batchInsert('users', rows, 200);
  await engine.close();
  const [first] = await ask(url, `select id from users where account_id = ${accountId} and email = 'u0'`);
  // Nobody else adds any meanwhile.
  return rows.map((_, index) => Number(first?.['id']) + index);
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly PlanNode[];
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

for (const kind of databases) {
  describe(`plans of lists by links on ${kind}`, () => {
    let opened: TestStore;
    let engine: Engine;
    before(async () => {
      opened = await openTestStore(kind);
      const open = kind === 'sqlite' ? openSqlite : openPostgres;
      engine = open({ url: opened.url, log: () => {}, waitMilliseconds: 60_000 });
    });
    after(async () => {
      await engine.close();
      await opened.dispose();
    });

    /** What is looked up in the tables of links, as the database says it. */
    async function lookupsOf(sql: string, bindings: unknown[]): Promise<string[]> {
      const connection = await engine.db.client.acquireConnection();
      try {
        if (kind === 'sqlite') {
          const plan: { detail: string }[] = connection.prepare(`explain query plan ${sql}`).all(bindings);
          return plan.map(({ detail }) => detail).filter((detail) => /(role|app)_\w+|\b[klx] USING/.test(detail));
        }
        // Tables of so few rows it would read through by itself.
        await connection.query('set enable_seqscan to off; set enable_bitmapscan to off');
        const { rows } = await connection.query(`explain (format json) ${sql}`, bindings);
        return nodesOf(rows[0]['QUERY PLAN'][0].Plan)
          .filter((node) => /^(role|app)_/.test(node['Relation Name'] ?? ''))
          .map((node) => `${node['Node Type']} ${node['Index Cond']}`);
      } finally {
        await engine.db.client.releaseConnection(connection);
      }
    }

    /** Pages in the middle of as many as there are of each list by links, both ways. */
    async function askForPages({ users, clients, roles }: StoreVerbs): Promise<void> {
      const { accountId, ...ids } = await newLinked(opened.store);
      const [app = 0, second = 0] = ids.appIds;
      const { role, user } = { role: ids.roleIds[0] ?? 0, user: ids.userIds[0] ?? 0 };
      const many = await addUsers(opened.url, accountId, 3000);
      for (const link of ['users', 'admins'] as const) {
        await opened.store.roles.link(accountId, link, role, [user, ...many], now);
      }
      for (const id of ids.roleIds) await opened.store.roles.link(accountId, 'apps', id, ids.appIds, now);
      if (kind === 'postgres') await engine.db.raw('analyze');
      const [middle = { key: 0, id: 0 }] = many.slice(1500).map((id) => ({ key: id, id }));
      for (const at of [{ after: middle }, { before: middle }]) {
        const query = { sort: { field: 'id', descending: false }, filters: [], limit: 10, at };
        for (const filter of [
          ...[linkedTo('role', role), linkedTo('administered_role', role)],
          ...[linkedTo('app', app), linkedTo('app', app, second)],
        ]) {
          await users.page(accountId, { ...query, filters: [filter] });
        }
        await clients.pageOfUser(accountId, user, query);
        await clients.pageOfRole(accountId, role, query);
        await roles.page(accountId, { ...query, filters: [linkedTo('app', app)] });
      }
    }

    test('links are found by their whole key, or from a position on', async () => {
      const queries: { sql: string; bindings: unknown[] }[] = [];
      engine.db.on('query', (query) => queries.push(query));
      await askForPages(verbsOn(engine.db, engine.hot));
      const paging = queries.filter(({ sql }) => / list_key/.test(sql));
      assert.ok(paging.length >= 14);
      for (const { sql, bindings } of paging) {
        const lookups = await lookupsOf(sql, bindings);
        assert.ok(lookups.length > 0);
        // By the account, the one end, and the other from a position on; but which roles give the app.
        const broad = lookups.filter((step) => (step.match(/[<>]=?|=/g)?.length ?? 0) < 3);
        assert.equal(broad.length, /cross join/.test(sql) ? 1 : 0, `${sql}\n${lookups.join('\n')}`);
        for (const step of lookups) assert.doesNotMatch(step, /SCAN|Seq Scan/, sql);
      }
    });
  });
}
