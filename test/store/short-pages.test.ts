/** Short pages without a filter are prepared statements; what they read is what longer ones do, which are not. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Knex } from 'knex';
import { verbsOn } from '../../src/store/knex/index.ts';
import { openPostgres } from '../../src/store/knex/postgres/engine.ts';
import { openSqlite } from '../../src/store/knex/sqlite/engine.ts';
import type { ListPage, ListQuery } from '../../src/store/listing.ts';
import type { DetailedUser } from '../../src/store/users.ts';
import { databases, openTestStore } from '../support/stores.ts';
import { newAccount, now } from './samples.ts';

const count = 150;
/** Sorted by the id; by texts of which many are the same; by numbers, most of them null. */
const fields = ['id', 'firstname', 'email', 'manager_user_id', 'last_login'];

async function fill(db: Knex, accountId: number): Promise<void> {
  const common = { account_id: accountId, status: 1, invalid_login_attempts: 0, created_at: now, updated_at: now };
  const rows = Array.from({ length: count }, (_, index) => {
    const email = `u${(index * 7919) % count}@example.com`;
    const few = {
      firstname: index % 3 === 0 ? null : `n${index % 5}`,
      last_login: index % 10 === 0 ? now - index : null,
    };
    return { ...common, ...few, email, email_key: email };
  });
  await db('users').insert(rows);
}

interface NodeOfPlan {
  readonly 'Node Type': string;
  readonly Plans?: readonly NodeOfPlan[];
}

function kindsOf(node: NodeOfPlan): string[] {
  return [node['Node Type'], ...(node.Plans ?? []).flatMap(kindsOf)];
}

type Page = (query: Omit<ListQuery, 'sort' | 'filters'>) => Promise<ListPage<DetailedUser>>;

const idsOf = ({ items }: ListPage<DetailedUser>) => items.map(({ id }) => id);

/** Walks a list with short pages, looks back from each, and expects what one long page says. */
async function walk(page: Page, sent: string[], isKeyed: boolean): Promise<void> {
  const first = await page({ limit: 7, at: { page: 1 } });
  const after = first.after ?? assert.fail();
  const all = [...idsOf(first), ...idsOf(await page({ limit: count, at: { after } }))];
  assert.equal(all.length, count);
  sent.length = 0;
  let passed = first.items.length;
  let at: ListQuery['at'] = { after };
  for (const limit of [1, 10, 12, 50, 100]) {
    const next: ListPage<DetailedUser> = await page({ limit, at });
    assert.deepEqual(idsOf(next), all.slice(passed, passed + limit));
    const back = await page({ limit: 100, at: { before: next.before ?? assert.fail() } });
    assert.deepEqual(idsOf(back), all.slice(Math.max(0, passed - 100), passed));
    passed += next.items.length;
    if (next.after) at = { after: next.after };
  }
  assert.equal(passed, count);
  const ofSameKey = / and id [<>] (\?|\$\d+) order by id /;
  assert.deepEqual(
    sent.filter((sql) => !ofSameKey.test(sql)),
    [],
    'the others are prepared',
  );
  assert.equal(sent.length > 0, isKeyed);
}

for (const kind of databases) {
  it(`short pages on ${kind} are those of the general way, in every order and both directions`, async () => {
    const { store, url, dispose } = await openTestStore(kind);
    const engine = (kind === 'sqlite' ? openSqlite : openPostgres)({ url, log: () => {}, waitMilliseconds: 60_000 });
    try {
      const { id: accountId } = await newAccount(store);
      await fill(engine.db, accountId);
      const { users } = verbsOn(engine.db, engine.hot);
      const sent: string[] = [];
      engine.db.on('query', ({ sql }: { sql: string }) => sent.push(sql));
      for (const sort of fields.flatMap((field) => [false, true].map((descending) => ({ field, descending })))) {
        const page: Page = (query) => users.page(accountId, { sort, filters: [], ...query });
        await walk(page, sent, sort.field !== 'id');
      }
      if (kind === 'postgres') await assertPlans(engine.db);
    } finally {
      await engine.close();
      await dispose();
    }
  });
}

/** Each was planned for any values, which keeps to the order of an index. */
async function assertPlans(db: Knex): Promise<void> {
  const connection = await db.client.acquireConnection();
  try {
    const named = "select statement from pg_prepared_statements where name like 'page-%' and generic_plans > 0";
    const { rows }: { rows: { statement: string }[] } = await connection.query(named);
    assert.ok(rows.length >= fields.length);
    await connection.query('set enable_seqscan to off');
    for (const { statement } of rows) {
      const { rows: plans } = await connection.query(`explain (generic_plan, format json) ${statement}`);
      const kinds = kindsOf(plans[0]['QUERY PLAN'][0].Plan);
      assert.ok(kinds.includes('Index Scan'), `${statement}: ${kinds}`);
      assert.ok(!kinds.some((one) => /Sort$/.test(one)), `${statement}: ${kinds}`);
    }
  } finally {
    await db.client.releaseConnection(connection);
  }
}
