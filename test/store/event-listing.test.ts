import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { verbsOn } from '../../src/store/knex/index.ts';
import { shortReads } from '../../src/store/knex/list-short.ts';
import { openPostgres } from '../../src/store/knex/postgres/engine.ts';
import { openSqlite } from '../../src/store/knex/sqlite/engine.ts';
import type { ListFilter } from '../../src/store/listing.ts';
import { type DatabaseKind, databases, openTestStore } from '../support/stores.ts';

interface PlanNode {
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly PlanNode[];
}

const is = (field: string, value: string | number): ListFilter => ({ field, test: 'is', values: [value] });

/** The last column of what is looked up, before the position. */
const cases: readonly (readonly [index: string, filters: readonly ListFilter[]])[] = [
  ['events_at_list', []],
  ['events_at_list', [{ field: 'created_at', test: 'from', values: [1] }]],
  ['events_action_list', [is('action', 'user.changed')]],
  ['events_actor_list', [is('actor_type', 'user'), is('actor_id', 7)]],
  ['events_target_list', [is('target_type', 'user'), is('target_id', -1)]],
  ['events_request_id_list', [is('request_id', '9f2c1f0a-5a52-4b8e-9f0e-5b1a5c0f6c11')]],
  ['events_user_id_list', [is('user_id', 7)]],
  ['events_app_id_list', [is('app_id', 7)]],
];

interface Sent {
  readonly sql: string;
  readonly bindings: unknown[];
}

/** Each statement of a page next to a position, with what explains it. */
async function explained(
  kind: DatabaseKind,
  check: (index: string, explain: (prefix: string) => Promise<unknown[]>) => Promise<void>,
): Promise<void> {
  const { url, dispose } = await openTestStore(kind);
  const open = kind === 'sqlite' ? openSqlite : openPostgres;
  const engine = open({ url, log: () => {}, waitMilliseconds: 60_000 });
  try {
    const queries: Sent[] = [];
    engine.db.on('query', (query) => queries.push(query));
    const { events } = verbsOn(engine.db, engine.hot);
    for (const [index, filters] of cases) {
      queries.length = 0;
      const sort = { field: 'created_at', descending: true };
      const known = shortReads(engine.db).length;
      await events.page(1, { sort, filters, limit: 50, at: { after: { key: 5, id: 5 } } });
      const prepared = shortReads(engine.db)
        .slice(known)
        .map(({ text, numbered }) => ({
          sql: kind === 'sqlite' ? text : numbered,
          bindings: Array.from(text.matchAll(/\?/g), () => 5),
        }));
      assert.equal(prepared.length > 0, filters.length === 0);
      assert.ok(queries.length > 0);
      for (const { sql, bindings } of [...queries, ...prepared]) {
        await check(index, async (prefix) => {
          const connection = await engine.db.client.acquireConnection();
          try {
            if (kind === 'sqlite') return connection.prepare(`${prefix} ${sql}`).all(bindings);
            // A table without rows it would read through by itself.
            await connection.query('set enable_seqscan to off; set enable_bitmapscan to off; set enable_sort to off');
            return (await connection.query(`${prefix} ${sql}`, bindings)).rows;
          } finally {
            await engine.db.client.releaseConnection(connection);
          }
        });
      }
    }
  } finally {
    await engine.close();
    await dispose();
  }
}

/** PostgreSQL's planner decides by its statistics; SQLite's by what an index can do at all. */
describe('a page of events next to a position is found by the index of its filter', () => {
  test('on sqlite', () =>
    explained('sqlite', async (index, explain) => {
      const steps = ((await explain('explain query plan')) as { detail: string }[]).map(({ detail }) => detail);
      assert.deepEqual(steps.length, 1, steps.join('\n'));
      assert.match(steps[0] ?? '', new RegExp(`^SEARCH events USING INDEX ${index} \\(account_id=\\?.* AND at`));
    }));

  test('on postgres', { skip: !databases.includes('postgres') }, () =>
    explained('postgres', async (index, explain) => {
      const [row] = (await explain('explain (format json)')) as { 'QUERY PLAN': [{ Plan: PlanNode }] }[];
      const nodes = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodes)];
      const [scan, ...more] = nodes(row?.['QUERY PLAN'][0].Plan as PlanNode).filter((node) => 'Index Name' in node);
      assert.deepEqual([scan?.['Index Name'], more], [index, []]);
      assert.match(scan?.['Index Cond'] ?? '', /account_id = .* AND \(?at [<=]/);
    }),
  );
});
