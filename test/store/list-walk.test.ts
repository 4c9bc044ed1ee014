/** Lists that follow links: every page of them is right. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ListFilter, ListPage, ListPosition, ListQuery } from '../../src/store/listing.ts';
import { analyze } from '../support/rows.ts';
import { isWhole } from '../support/sample.ts';
import { addUsers, linkedTo, newLinked } from './linked.ts';
import { now } from './samples.ts';
import { onEachDatabase } from './suite.ts';

type PageOf = (query: ListQuery) => Promise<ListPage<{ readonly id: number }>>;

const ascending = (one: number, other: number) => one - other;

/** The ids of all pages in one direction; checks that each page reports its neighbours. */
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

/** Both ways, in both orders, by pages of several sizes; the drill M11 has pages of one as well. */
async function assertWalks(page: PageOf, filters: readonly ListFilter[], expected: readonly number[]): Promise<void> {
  for (const descending of [false, true]) {
    const wanted = expected.toSorted(descending ? (one, other) => other - one : ascending);
    for (const limit of isWhole ? [1, 3, 100] : [3, 100]) {
      const query = { sort: { field: 'id', descending }, filters, limit };
      const where = JSON.stringify(query);
      assert.deepEqual(await walk(page, query, 'after'), wanted, where);
      assert.equal((await page({ ...query, at: { page: 1 } })).total, expected.length, where);
      if (expected.length > 0) assert.deepEqual(await walk(page, query, 'before'), wanted, where);
    }
  }
}

onEachDatabase('lists by links', (subject) => {
  test('users of roles, their administrators, and users who are neither', async () => {
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

  test('the few of many members that satisfy another filter are found', async () => {
    const { store } = subject;
    const { accountId, userIds, roleIds } = await newLinked(store);
    const [roleId = 0] = roleIds;
    const many = await addUsers(subject.url, accountId, 1100);
    await store.roles.link(accountId, 'users', roleId, [...many, ...userIds], now);
    await analyze(subject);
    // Their ids precede all others, so that a descending order passes the others first.
    const odd: ListFilter = { field: 'firstname', test: 'is', values: ['Odd'] };
    await assertWalks(
      (query) => store.users.page(accountId, query),
      [linkedTo('role', roleId), odd],
      userIds.filter((_, at) => at % 2 === 1),
    );
  });

  test('in another order, with many links and with few', async () => {
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
    await analyze(subject);
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

  test('ranges of many users and of few', async () => {
    const { store } = subject;
    const { accountId, userIds } = await newLinked(store);
    const many = await addUsers(subject.url, accountId, 2200);
    const page: PageOf = (query) => store.users.page(accountId, query);
    const begins = (value: string): ListFilter => ({ field: 'email', test: 'begins', values: [value] });
    const since: ListFilter = { field: 'created_at', test: 'from', values: [now] };
    const all = [...userIds, ...many].toSorted(ascending);
    for (const [filters, expected] of [
      [[begins('u')], all],
      [[begins('u21')], many.filter((_, at) => `${at}`.startsWith('21'))],
      [[since], all],
      [[since, begins('u3')], many.filter((_, at) => `${at}`.startsWith('3'))],
      [[begins('u'), { field: 'firstname', test: 'begins', values: ['Odd'] }], userIds.filter((_, at) => at % 2 === 1)],
    ] as const) {
      for (const descending of [false, true]) {
        const wanted = descending ? expected.toReversed() : expected;
        // Nobody has signed in, so all are equal in this order, which ids then decide.
        for (const field of ['id', 'last_login']) {
          const query = { sort: { field, descending }, filters, limit: 500 };
          assert.deepEqual(await walk(page, query, 'after'), wanted, JSON.stringify(query));
          assert.equal((await page({ ...query, at: { page: 1 } })).total, expected.length);
        }
      }
    }
  });
});
