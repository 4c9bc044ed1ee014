/** Lists by keyset on both databases: order, filters, positions, and what a walk sees while the table changes (A4). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ListFilter, ListPage, ListQuery } from '../../src/store/listing.ts';
import type { DetailedUser } from '../../src/store/users.ts';
import { newAccount, newClient, newServer, newUser, now } from './samples.ts';
import { onEachDatabase } from './suite.ts';

const byId = { field: 'id', descending: false };
const everyone: ListQuery = { sort: byId, filters: [], limit: 3, at: { page: 1 } };

onEachDatabase('lists', (subject) => {
  const page = (accountId: number, query: Partial<ListQuery>) =>
    subject.store.users.page(accountId, { ...everyone, ...query });

  /** All pages after another, or before another from the end. */
  async function walk(accountId: number, query: Partial<ListQuery>, direction: 'after' | 'before' = 'after') {
    const seen: DetailedUser[][] = [];
    let { at } = { ...everyone, ...query };
    for (let turn = 0; turn < 50; turn += 1) {
      const found: ListPage<DetailedUser> = await page(accountId, { ...query, at });
      seen.push([...found.items]);
      const next = found[direction];
      if (!next) break;
      at = direction === 'after' ? { after: next } : { before: next };
    }
    return seen;
  }

  async function crew(names: readonly (string | null)[]) {
    const { id: accountId } = await newAccount(subject.store);
    const ids: number[] = [];
    for (const firstname of names) ids.push((await newUser(subject.store, accountId, { firstname })).id);
    await newUser(subject.store, (await newAccount(subject.store)).id, { firstname: names[0] ?? null });
    return { accountId, ids };
  }

  const namesOf = (pages: readonly DetailedUser[][]) => pages.flat().map(({ firstname }) => firstname);

  // By the bytes of UTF-8, absent values first.
  const names = ['b', null, 'Z', 'a', 'é', '😀', 'b', null, '\uffee', 'b', 'ab'];
  const sorted = [null, null, 'Z', 'a', 'ab', 'b', 'b', 'b', 'é', '\uffee', '😀'];

  test('every order is walked forwards and backwards; equal keys are ordered by id', async () => {
    const { accountId } = await crew(names);
    for (const descending of [false, true]) {
      const wanted = descending ? sorted.toReversed() : sorted;
      for (const limit of [1, 2, 3, 100]) {
        const query = { sort: { field: 'firstname', descending }, limit };
        const forwards = await walk(accountId, query);
        assert.deepEqual(namesOf(forwards), wanted);
        const ids = forwards.flat().map(({ id }) => id);
        assert.equal(new Set(ids).size, names.length);
        const last = await page(accountId, { ...query, at: { page: Math.ceil(names.length / limit) } });
        assert.equal(last.after, null);
        const backwards = await walk(
          accountId,
          { ...query, at: last.before ? { before: last.before } : { page: 1 } },
          'before',
        );
        const rest = last.before ? ids.slice(0, ids.length - last.items.length) : ids;
        assert.deepEqual(
          backwards
            .reverse()
            .flat()
            .map(({ id }) => id),
          rest,
        );
      }
    }
  });

  test('numbered pages have totals, pages next to a position do not', async () => {
    const { accountId, ids } = await crew(['a', 'b', 'c', 'd']);
    const first = await page(accountId, {});
    assert.deepEqual([first.total, first.items.length, first.before], [4, 3, null]);
    assert.deepEqual(first.after, { key: ids[2], id: ids[2] });
    const second = await page(accountId, { at: { page: 2 } });
    assert.deepEqual([second.total, second.items.length, second.after], [4, 1, null]);
    assert.deepEqual(second.before, { key: ids[3], id: ids[3] });
    assert.deepEqual(await page(accountId, { at: { page: 2 ** 31 } }), {
      items: [],
      ids: [],
      before: null,
      after: null,
      total: 4,
    });
    const beside = await page(accountId, { at: { after: { key: ids[0] ?? 0, id: ids[0] ?? 0 } } });
    assert.deepEqual([beside.total, beside.items.map(({ id }) => id)], [null, ids.slice(1)]);
    assert.deepEqual(beside.before, { key: ids[1], id: ids[1] });
    const gone = await page(accountId, { at: { before: { key: ids[0] ?? 0, id: ids[0] ?? 0 } } });
    assert.deepEqual([gone.items, gone.before, gone.after], [[], null, null]);
  });

  test('a page is read by ids, and items by them, in the order asked for', async () => {
    const { accountId, ids } = await crew(names);
    const other = await crew(names);
    const query = { sort: { field: 'firstname', descending: true }, limit: 8 };
    const { items, ...position } = await page(accountId, query);
    assert.deepEqual(await page(accountId, { ...query, part: 'ids' }), { ...position, items: [] });
    assert.deepEqual(
      position.ids,
      items.map(({ id }) => id),
    );
    const part = [...(position.ids ?? []), ...other.ids, 0];
    const nowhere = { before: null, after: null, total: null };
    assert.deepEqual(await page(accountId, { ...query, part }), { ...nowhere, items });
    await subject.store.users.update(accountId, ids[0] as number, { status: 2 });
    const filters: ListFilter[] = [{ field: 'status', test: 'is', values: [2] }];
    const found = await page(accountId, { ...query, filters, part: ids });
    assert.deepEqual(
      found.items.map(({ id }) => id),
      [ids[0]],
    );
  });

  test('parts of one server are not those of another with the same ids', async () => {
    const { id: accountId } = await newAccount(subject.store);
    const servers = subject.store.authorizationServers;
    const [one, other] = [await newServer(subject.store, accountId), await newServer(subject.store, accountId)];
    const { appId } = await newClient(subject.store, accountId);
    const link = { accountId, appId, scopeIds: [], linkedAt: now };
    for (const { id: serverId } of [one, other]) await servers.link({ ...link, serverId });
    const query: ListQuery = { ...everyone, sort: { field: 'app_id', descending: false } };
    const { ids = [] } = await servers.pageLinks(accountId, one.id, { ...query, part: 'ids' });
    const { items } = await servers.pageLinks(accountId, one.id, { ...query, part: ids });
    assert.deepEqual(
      items.map(({ serverId }) => serverId),
      [one.id],
    );
  });

  test('filters compare as documented, and a text is never a pattern', async () => {
    const { accountId } = await crew(['a_b', 'axb', 'a%b', 'A_b', 'é', 'éa', null, "o'b", '\\']);
    const find = async (...filters: ListFilter[]) =>
      namesOf([[...(await page(accountId, { filters, limit: 100 })).items]]);
    const name = (test: ListFilter['test'], ...values: string[]): ListFilter => ({ field: 'firstname', test, values });
    assert.deepEqual(await find(name('is', 'a_b')), ['a_b']);
    assert.deepEqual(await find(name('in', 'a_b', 'é')), ['a_b', 'é']);
    assert.deepEqual(await find(name('begins', 'a_')), ['a_b']);
    assert.deepEqual(await find(name('begins', 'é')), ['é', 'éa']);
    assert.deepEqual(await find(name('ends', '%b')), ['a%b']);
    assert.deepEqual(await find(name('ends', 'éa')), ['éa']);
    assert.deepEqual(await find(name('holds', '_')), ['a_b', 'A_b']);
    assert.deepEqual(await find(name('holds', "'")), ["o'b"]);
    assert.deepEqual(await find(name('holds', '\\')), ['\\']);
    assert.equal((await find(name('begins', ''))).length, 9);
    assert.deepEqual(await find(name('begins', 'a'), name('ends', 'b'), name('holds', 'x')), ['axb']);
  });

  test('times and numbers: ranges include their bounds and exclude missing values', async () => {
    const { id: accountId } = await newAccount(subject.store);
    const [early, late] = [
      await newUser(subject.store, accountId, { lastLogin: now }),
      await newUser(subject.store, accountId, { lastLogin: now + 5, status: 3 }),
    ];
    await newUser(subject.store, accountId, { lastLogin: null });
    const ids = async (...filters: ListFilter[]) => (await page(accountId, { filters })).items.map(({ id }) => id);
    const login = (test: ListFilter['test'], value: number): ListFilter => ({
      field: 'last_login',
      test,
      values: [value],
    });
    assert.deepEqual(await ids(login('from', now), login('to', now + 5)), [early.id, late.id]);
    assert.deepEqual(await ids(login('to', now + 4)), [early.id]);
    assert.deepEqual(await ids(login('from', now + 1)), [late.id]);
    assert.deepEqual(await ids({ field: 'status', test: 'is', values: [3] }), [late.id]);
    assert.deepEqual(await ids({ field: 'status', test: 'is', values: [2 ** 40] }), []);
    assert.deepEqual(await ids({ field: 'id', test: 'in', values: [late.id, 2 ** 40] }), [late.id]);
  });

  test('roles, apps and attributes filter through their own tables, in the account only', async () => {
    const { roles, access, attributes } = subject.store;
    const { accountId, ids } = await crew(['a', 'b', 'c']);
    const [a = 0, b = 0] = ids;
    const role = await roles.create({ accountId, name: 'staff', createdAt: now });
    await roles.link(accountId, 'users', role.id, [a], now);
    const { appId } = await newClient(subject.store, accountId);
    await access.grant(accountId, appId, { roleId: role.id }, now);
    await access.grant(accountId, appId, { userId: b }, now);
    const badge = await attributes.create({ accountId, name: 'Badge', shortname: 'badge', createdAt: now });
    await attributes.setValues(accountId, [{ userId: b, attributeId: badge.id, value: 'x1' }]);
    const find = async (filter: ListFilter, inAccount = accountId) =>
      (await page(inAccount, { filters: [filter] })).items.map(({ id }) => id);
    assert.deepEqual(await find({ field: 'role', test: 'in', values: [role.id, 9999] }), [a]);
    assert.deepEqual(await find({ field: 'app', test: 'in', values: [appId] }), [a, b]);
    assert.deepEqual(await find({ field: 'custom_attribute', test: 'is', values: ['x1'], of: badge.id }), [b]);
    assert.deepEqual(await find({ field: 'custom_attribute', test: 'begins', values: ['x'], of: badge.id }), [b]);
    assert.deepEqual(await find({ field: 'custom_attribute', test: 'is', values: ['x1'], of: badge.id + 1 }), []);
    const { id: otherId } = await newAccount(subject.store);
    assert.deepEqual(await find({ field: 'role', test: 'in', values: [role.id] }, otherId), []);
  });
});
