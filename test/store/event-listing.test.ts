import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verbsOn } from '../../src/store/knex/index.ts';
import { openSqlite } from '../../src/store/knex/sqlite/engine.ts';
import type { ListFilter } from '../../src/store/listing.ts';
import { openTestStore } from '../support/stores.ts';

/** PostgreSQL's planner decides by its statistics; SQLite's by what an index can do at all. */
test('a page of events next to a position is found by the index of its filter on sqlite', async () => {
  const { url, dispose } = await openTestStore('sqlite');
  const engine = openSqlite({ url, log: () => {}, waitMilliseconds: 1000 });
  const is = (field: string, value: string | number): ListFilter => ({ field, test: 'is', values: [value] });
  const cases: readonly (readonly [index: string, filters: readonly ListFilter[]])[] = [
    ['events_at_list', []],
    ['events_at_list', [{ field: 'created_at', test: 'from', values: [1] }]],
    ['events_action_list', [is('action', 'user.changed')]],
    ['events_actor_list', [is('actor_type', 'user'), is('actor_id', 7)]],
    ['events_target_list', [is('target_type', 'user'), is('target_id', -1)]],
  ];
  try {
    const queries: { sql: string; bindings: unknown[] }[] = [];
    engine.db.on('query', (query) => queries.push(query));
    const { events } = verbsOn(engine.db, engine.hot);
    for (const [index, filters] of cases) {
      queries.length = 0;
      const sort = { field: 'created_at', descending: true };
      await events.page(1, { sort, filters, limit: 50, at: { after: { key: 5, id: 5 } } });
      assert.ok(queries.length > 0);
      for (const { sql, bindings } of [...queries]) {
        const plan = (await engine.db.raw(`explain query plan ${sql}`, bindings as never)) as { detail: string }[];
        const steps = plan.map(({ detail }) => detail);
        assert.deepEqual(steps.length, 1, steps.join('\n'));
        assert.match(steps[0] ?? '', new RegExp(`^SEARCH events USING INDEX ${index} \\(account_id=\\?.* AND at`));
      }
    }
  } finally {
    await engine.db.destroy();
    await dispose();
  }
});
