/** The statistics of SQLite's planner: it uses indexes even without rows. */

import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import Sqlite from 'better-sqlite3';
import { openStore } from '../../src/store/knex/index.ts';
import {
  describeIndex,
  describeNewTables,
  indexesDue,
  reloadStatistics,
} from '../../src/store/knex/sqlite/statistics.ts';
import { migratedFile } from '../support/stores.ts';

describe('statistics of SQLite', () => {
  let folder = '';
  let file = '';
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-statistics-'));
    file = await migratedFile(folder);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** A copy of the migrated database, opened beside the service. */
  function copy(name: string): { readonly url: string; readonly connection: Sqlite.Database } {
    const path = join(folder, name);
    copyFileSync(file, path);
    return { url: `sqlite:${path}`, connection: new Sqlite(path) };
  }

  const linkStatements = [
    ['app_users', 'user_id'],
    ['app_users', 'app_id'],
    ['app_roles', 'role_id'],
    ['role_users', 'user_id'],
    ['role_users', 'role_id'],
    ['role_admins', 'role_id'],
    ['consents', 'user_id'],
    ['consents', 'app_id'],
    ['user_attributes', 'attribute_id'],
  ] as const;

  const planOf = (connection: Sqlite.Database, statement: string, bindings: readonly number[]) =>
    connection
      .prepare<number[], { detail: string }>(`explain query plan ${statement}`)
      .all(...bindings)
      .map(({ detail }) => detail);

  it('a new database finds links by both of their ends', () => {
    const { connection } = copy('new.db');
    for (const [table, column] of linkStatements) {
      for (const verb of ['delete', 'select *']) {
        const [plan] = planOf(connection, `${verb} from ${table} where account_id = ? and ${column} = ?`, [1, 1]);
        assert.match(plan ?? '', new RegExp(`account_id=\\? AND ${column}=\\?`), `${table} by ${column}`);
      }
    }
    connection.close();
  });

  it('without them it scans the account: this test can fail', () => {
    const { connection } = copy('none.db');
    connection.exec('delete from sqlite_stat1; delete from sqlite_stat4; analyze sqlite_schema');
    const plans = linkStatements.map(([table, column]) =>
      planOf(connection, `delete from ${table} where account_id = ? and ${column} = ?`, [1, 1]),
    );
    assert.ok(plans.some(([plan]) => plan?.endsWith('(account_id=?)')));
    connection.close();
  });

  it('a grown table of users without names finds one by either of them', () => {
    const { connection } = copy('unnamed.db');
    connection.exec(
      "insert into accounts (id, subdomain, name, settings, sealed_key, created_at) values (1, 'a', '', '{}', '', 1)",
    );
    const columns = connection.pragma('table_info(users)') as {
      name: string;
      type: string;
      notnull: number;
      dflt_value: unknown;
    }[];
    const given = columns.filter(({ notnull, dflt_value }) => notnull === 1 && dflt_value === null);
    const filler = ({ name, type }: { name: string; type: string }) =>
      name === 'account_id' ? '1' : name === 'id' ? 'i' : type === 'TEXT' ? "''" : '1';
    connection.exec(`with recursive n (i) as (select 1 union all select i + 1 from n where i < 12000)
      insert into users (${given.map(({ name }) => name)}, email_key)
      select ${given.map(filler)}, 'user' || i from n`);
    for (const index of indexesDue(connection, 'users')) describeIndex(connection, 'users', index);
    reloadStatistics(connection);
    for (const column of ['email_key', 'username_key']) {
      const [plan] = planOf(connection, `select * from users where account_id = ? and ${column} = ?`, [1, 1]);
      assert.match(plan ?? '', new RegExp(`account_id=\\? AND ${column}=\\?`));
    }
    const either = 'select * from users where account_id = ? and (email_key = ? or username_key = ?)';
    assert.match(planOf(connection, either, [1, 1, 1]).join(), /email_key=\?.*username_key=\?/);
    connection.close();
  });

  it('a grown table gets new statistics, a small one keeps its own, and a restart rewrites neither', async () => {
    const { url, connection } = copy('grown.db');
    const described = () =>
      new Map(
        connection
          .prepare<[], [string, string]>('select idx, stat from sqlite_stat1')
          .raw()
          .all()
          .map(([index, stat]) => [index, stat]),
      );
    const before = described();
    connection.exec(
      "insert into accounts (id, subdomain, name, settings, sealed_key, created_at) values (1, 'a', '', '{}', '', 1)",
    );
    connection.exec(`with recursive n (i) as (select 1 union all select i + 1 from n where i < 12000)
      insert into ended_requests select 1, 'digest' || i, i from n`);
    const store = await openStore({ url });
    await store.refreshStatistics();
    await store.close();
    const after = described();
    assert.match(after.get('ended_requests_expires_at_index') ?? '', /^12\d{3} 1$/);
    assert.equal(after.get('app_users'), before.get('app_users'));
    assert.equal(describeNewTables(connection), false);
    connection.close();
  });

  it('a large table is described again when its size has changed much, and not before', () => {
    const { connection } = copy('growing.db');
    connection.exec('pragma foreign_keys = off');
    const columns = connection.pragma('table_info(access_tokens)') as { name: string; notnull: number; type: string }[];
    const given = columns.filter(({ name, notnull }) => notnull === 1 && name !== 'id').map(({ name }) => name);
    const add = (from: number, to: number) =>
      connection.exec(`with recursive n (i) as (select ${from} union all select i + 1 from n where i < ${to})
        insert into access_tokens (id, ${given}) select i, ${given.map((name) => (name === 'digest' ? "'d' || i" : 1))} from n`);
    const describeDue = () => {
      const due = indexesDue(connection, 'access_tokens');
      for (const index of due) describeIndex(connection, 'access_tokens', index);
      return due.length > 0;
    };
    add(1, 9_000);
    assert.equal(describeDue(), false);
    // Still described as the large one that it was assumed to become.
    add(9_001, 300_000);
    assert.equal(describeDue(), true);
    assert.equal(describeDue(), false);
    connection.exec('delete from access_tokens where id > 80000');
    assert.equal(describeDue(), false);
    connection.exec('delete from access_tokens where id > 70000');
    assert.equal(describeDue(), true);
    add(70_001, 270_000);
    assert.equal(describeDue(), false);
    add(270_001, 290_000);
    assert.equal(describeDue(), true);
    connection.close();
  });
});
