/** The plans of lists that follow links: no page reads more links than it shows. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Engine } from '../../src/store/knex/engine.ts';
import { verbsOn } from '../../src/store/knex/index.ts';
import { openPostgres } from '../../src/store/knex/postgres/engine.ts';
import { openSqlite } from '../../src/store/knex/sqlite/engine.ts';
import type { ListFilter, ListQuery } from '../../src/store/listing.ts';
import type { StoreVerbs } from '../../src/store/store.ts';
import { execute } from '../support/rows.ts';
import { databases, openTestStore, type TestStore } from '../support/stores.ts';
import { addUsers, linkedTo, newLinked } from './linked.ts';
import { now } from './samples.ts';

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

    test('links are found by their full key, or from a position on', async () => {
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

    /** The statements of a page of users that a filter matches, and their plans. */
    async function plansOf({ users }: StoreVerbs, accountId: number, query: Omit<ListQuery, 'limit'>) {
      const queries: { sql: string; bindings: unknown[] }[] = [];
      const listen = (statement: (typeof queries)[number]) => queries.push(statement);
      engine.db.on('query', listen);
      await users.page(accountId, { ...query, limit: 10 });
      engine.db.removeListener('query', listen);
      const paging = queries.filter(({ sql }) => / list_key/.test(sql));
      assert.ok(paging.length > 0);
      return Promise.all(
        paging.map(async ({ sql, bindings }) => {
          const plan: { detail: string }[] = await engine.db.raw(`explain query plan ${sql}`, bindings as string[]);
          return { sql, steps: plan.map(({ detail }) => detail).join('\n') };
        }),
      );
    }

    const byId = { field: 'id', descending: false };
    const emailsFrom = (prefix: string): ListFilter => ({ field: 'email', test: 'begins', values: [prefix] });

    // The planner of PostgreSQL knows how many rows a range has.
    if (kind === 'postgres') return;
    test('what most users match is read in the order of the list, and what few match is looked up', async () => {
      const verbs = verbsOn(engine.db, engine.hot);
      const { accountId } = await newLinked(opened.store);
      const [middle = 0] = (await addUsers(opened.url, accountId, 3000)).slice(1500);
      for (const [prefix, expected] of [
        ['u', /users_1 .account_id=\? AND id>/],
        ['u29', /users_email_key_list/],
      ] as const) {
        const at = { after: { key: middle, id: middle } };
        const [{ steps } = { steps: '' }] = await plansOf(verbs, accountId, {
          sort: byId,
          filters: [emailsFrom(prefix)],
          at,
        });
        assert.match(steps, expected);
        assert.equal(/USE TEMP B-TREE/.test(steps), prefix === 'u29', steps);
      }
    });

    test('few users of many are looked up on every page, whatever the list is sorted by', async () => {
      const verbs = verbsOn(engine.db, engine.hot);
      const { accountId } = await newLinked(opened.store);
      const [middle = 0] = (await addUsers(opened.url, accountId, 3000)).slice(1500);
      const changed = `updated_at = ${now + 9} where account_id = ${accountId} and id = ${middle}`;
      await execute(opened.url, `update users set ${changed}`);
      const filters: ListFilter[] = [{ field: 'updated_at', test: 'from', values: [now + 9] }];
      const byName = { field: 'lastname', descending: false };
      for (const [sort, at] of [
        [byId, { page: 1 }],
        [byId, { after: { key: 1, id: 1 } }],
        [byName, { page: 1 }],
        [byName, { after: { key: '', id: 1 } }],
      ] as const) {
        for (const { steps } of await plansOf(verbs, accountId, { sort, filters, at })) {
          assert.match(steps, /users_updated_at_list/);
        }
      }
    });

    test('of two bounds at one end of a range only that of the position is looked up', async () => {
      const verbs = verbsOn(engine.db, engine.hot);
      const { accountId } = await newLinked(opened.store);
      const users = await addUsers(opened.url, accountId, 100);
      const { key, id } = { key: 'u50', id: users[50] ?? 0 };
      const value = "coalesce(email_key, '')";
      for (const [descending, passed] of [
        [false, `+${value} >= ? and ${value} < ?`],
        [true, `and ${value} >= ? and +${value} < ?`],
      ] as const) {
        const sort = { field: 'email', descending };
        const plans = await plansOf(verbs, accountId, { sort, filters: [emailsFrom('u')], at: { after: { key, id } } });
        assert.ok(
          plans.some(({ sql }) => sql.includes(passed)),
          plans.map(({ sql }) => sql).join('\n'),
        );
      }
    });
  });
}
