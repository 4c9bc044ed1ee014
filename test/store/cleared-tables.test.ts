/** Which tables are cleared of the rows of what was removed, and by which keys. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clearStep } from '../../src/store/knex/clear-removed.ts';
import { clearedTables } from '../../src/store/knex/cleared-tables.ts';
import { openSqlite } from '../../src/store/knex/sqlite/engine.ts';
import { ask, execute } from '../support/rows.ts';
import { now } from './samples.ts';
import { onEachDatabase } from './suite.ts';

/** At most a few rows per object: they are deleted with its own. Grants' rows are deleted with them. */
const withObject = [
  'factor_devices',
  'factor_attempts',
  'recovery_codes',
  'sign_in_histories',
  'invite_links',
  'administrators',
];
const parents: Readonly<Record<string, keyof typeof clearedTables>> = {
  users: 'user',
  clients: 'app',
  roles: 'role',
  custom_attributes: 'attribute',
  authorization_servers: 'api',
};

onEachDatabase('tables that are cleared', (subject) => {
  test('include every table that refers to removed rows', async () => {
    if (subject.store.kind === 'postgres') return;
    const references = await ask(
      subject.url,
      `select m.name as child, f."table" as parent, f."from" as reference from sqlite_master m
        join pragma_foreign_key_list(m.name) f where m.type = 'table' and f."from" <> 'account_id'`,
    );
    const missing = references.filter(({ child, parent, reference }) => {
      const kind = parents[String(parent)];
      if (!kind || withObject.includes(String(child))) return false;
      // `releaseMembers` and `releaseFrom` clear these.
      if (kind === 'role' && child === 'role_users') return false;
      if (kind === 'api' && /^(authorization|open)_server_clients$/.test(String(child))) return false;
      return !clearedTables[kind].some(([table, by]) => table === child && by === reference);
    });
    assert.deepEqual(missing, []);
    assert.ok(references.length > 20);
  });

  test('are read by the keys of the rows of a slice, not by all rows of the object', async () => {
    const { store, url } = subject;
    if (store.kind === 'postgres') return;
    // As a sample describes large tables: an object has one row.
    const columns = "length(stat) - length(replace(stat, ' ', ''))";
    await execute(
      url,
      `update sqlite_stat1 set stat = '220000 401' || substr(' 1 1 1 1 1 1', 1, 2 * (${columns} - 1))`,
    );
    const engine = openSqlite({ url, log: () => {}, waitMilliseconds: 60_000 });
    const queries: { sql: string; bindings: string[] }[] = [];
    engine.db.on('query', (query) => queries.push(query));
    const object = { account_id: 1, id: 1, object_id: 1, server_id: null, removed_at: now };
    try {
      for (const [kind, tables] of Object.entries(clearedTables)) {
        const removal = { ...object, kind: kind as keyof typeof clearedTables, last_grant_id: 0, reached_grant_id: 0 };
        queries.length = 0;
        await clearStep(engine.db, removal, 100);
        const deletions = queries.filter(({ sql }) => /\bdelete from\b/.test(sql));
        assert.equal(deletions.length, tables.length);
        for (const [index, { sql, bindings }] of deletions.entries()) {
          const [table, by, key] = tables[index] as readonly [string, string, readonly string[]];
          const plan: { detail: string }[] = await engine.db.raw(`explain query plan ${sql}`, bindings);
          const step = plan.find(({ detail }) => new RegExp(`^(SEARCH|SCAN) ${table} `).test(detail))?.detail ?? '';
          assert.match(step, new RegExp(`\\b(rowid|${key.find((column) => column !== by)})=\\?`), sql);
        }
      }
    } finally {
      await engine.close();
    }
  });
});
