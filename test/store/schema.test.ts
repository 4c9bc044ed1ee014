import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Engine } from '../../src/store/knex/engine.ts';
import { fixedStatements } from '../../src/store/knex/fixed-reads.ts';
import { verbsOn } from '../../src/store/knex/index.ts';
import { shortReads } from '../../src/store/knex/list-short.ts';
import { lockHead } from '../../src/store/knex/postgres/chain.ts';
import { openPostgres } from '../../src/store/knex/postgres/engine.ts';
import { hotStatements as hotOnPostgres } from '../../src/store/knex/postgres/hot.ts';
import { lockGrants, rotateAll } from '../../src/store/knex/postgres/sql-consume.ts';
import { deleteDue, findOverdue } from '../../src/store/knex/purge.ts';
import { chainStatements } from '../../src/store/knex/sqlite/chain.ts';
import { sqliteStatements } from '../../src/store/knex/sqlite/consume.ts';
import { sqliteDialect } from '../../src/store/knex/sqlite/dialect.ts';
import { openSqlite } from '../../src/store/knex/sqlite/engine.ts';
import { hotStatements as hotOnSqlite } from '../../src/store/knex/sqlite/hot.ts';
import { userListing } from '../../src/store/knex/user-listing.ts';
import { expiringTables } from '../../src/store/purge.ts';
import { purgedTables } from '../support/purge.ts';
import { databases, openTestStore, type TestStore } from '../support/stores.ts';
import { lookups } from './lookups.ts';
import { now } from './samples.ts';

interface Query {
  readonly sql: string;
  readonly bindings: readonly unknown[];
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly PlanNode[];
}

/** The nodes of PostgreSQL's plan that read a table or an index, with what they look for there. */
function scansOf(node: PlanNode): string[] {
  const reads = /^(Seq|Index|Index Only|Bitmap Index) Scan$/.test(node['Node Type']);
  const own = reads ? [`${node['Node Type']} ${node['Index Cond'] ?? ''}`] : [];
  return [...own, ...(node.Plans ?? []).flatMap(scansOf)];
}

for (const kind of databases) {
  describe(`schema on ${kind}`, () => {
    let opened: TestStore;
    let engine: Engine;

    before(async () => {
      opened = await openTestStore(kind);
      const open = kind === 'sqlite' ? openSqlite : openPostgres;
      // Past a pooler: the planner's settings are of a session.
      engine = open({ url: opened.url, log: () => {}, waitMilliseconds: 60_000 });
    });
    after(async () => {
      await engine.db.destroy();
      await opened.dispose();
    });

    /** The steps of a statement's plan that read a table. */
    async function stepsOf({ sql, bindings }: Query): Promise<string[]> {
      const connection = await engine.db.client.acquireConnection();
      try {
        if (kind === 'sqlite') {
          const found: { detail: string }[] = connection.prepare(`explain query plan ${sql}`).all(bindings);
          return found.map(({ detail }) => detail).filter((detail) => /^(SCAN|SEARCH)\b/.test(detail));
        }
        // The tables are nearly empty: by itself the planner would read them through.
        await connection.query('set enable_seqscan to off');
        const found = await connection.query(`explain (format json) ${sql}`, bindings);
        return scansOf(found.rows[0]['QUERY PLAN'][0].Plan);
      } finally {
        await engine.db.client.releaseConnection(connection);
      }
    }

    /** The steps that put rows in order, since no index has them in it. */
    async function sortsOf({ sql, bindings }: Query): Promise<string[]> {
      const connection = await engine.db.client.acquireConnection();
      try {
        if (kind === 'sqlite') {
          const found: { detail: string }[] = connection.prepare(`explain query plan ${sql}`).all(bindings);
          return found.map(({ detail }) => detail).filter((detail) => detail.includes('TEMP B-TREE'));
        }
        await connection.query('set enable_seqscan to off; set enable_bitmapscan to off; set enable_sort to off');
        const found = await connection.query(`explain ${sql}`, bindings);
        await connection.query('reset enable_bitmapscan; reset enable_sort');
        const lines: string[] = found.rows.map((row: Record<string, string>) => row['QUERY PLAN'] ?? '');
        return lines.filter((line) => /\bSort\b/.test(line));
      } finally {
        await engine.db.client.releaseConnection(connection);
      }
    }

    async function assertIndexed(query: Query): Promise<void> {
      const steps = await stepsOf(query);
      // Rows that the statement itself brings along, or has found by then.
      const reading = steps.filter((step) => !/^SCAN (CONSTANT ROW|wanted|one|part_\d)\b/.test(step));
      for (const step of reading) {
        const key =
          /\b(account_id|id|app_id|kind|host|subdomain|digest|expires_at|due_at|used_at|rowid)\b[^,]{0,3}[=<>]/;
        assert.match(step, key, `${query.sql}\n${steps.join('\n')}`);
        assert.doesNotMatch(step, /^SCAN/, `${query.sql}\n${steps.join('\n')}`);
      }
    }

    /** Beside the row number, which SQLite does not list as an index. */
    async function assertSqliteKeys(): Promise<void> {
      const found: { table: string; first: string }[] = await engine.db.raw(`
        select m.name as "table", i.name as first from sqlite_master m join pragma_index_list(m.name) l
        join pragma_index_info(l.name) i on i.seqno = 0 where m.type = 'table' and l."unique" = 1 and exists (
          select 1 from pragma_table_info(m.name) c where c.name = 'account_id')`);
      assert.ok(found.length > 15);
      for (const { table, first } of found)
        assert.equal(first, table === 'account_hosts' ? 'host' : 'account_id', table);
    }

    test('no verb scans a table', async () => {
      const queries: Query[] = [];
      engine.db.on('query', ({ sql, bindings }: Query) => queries.push({ sql, bindings: bindings ?? [] }));
      for (const run of lookups(verbsOn(engine.db, engine.hot))) await run();
      await findOverdue(engine.db, now, new Map());
      for (const table of purgedTables) await engine.purge({ table, now, from: null, limit: 10 });
      const looking = queries.filter(({ sql }) => /^(select|update|delete|with)/i.test(sql));
      assert.ok(looking.length > 50, `${looking.length} statements`);
      for (const query of looking) await assertIndexed(query);
    });

    test('a page of users is one range of an index for every order, exact value and prefix, however deep', async () => {
      const queries: Query[] = [];
      engine.db.on('query', ({ sql, bindings }: Query) => queries.push({ sql, bindings: bindings ?? [] }));
      const { users } = verbsOn(engine.db, engine.hot);
      const limit = 10;
      const known = shortReads(engine.db).length;
      for (const [field, { kind: type }] of Object.entries(userListing.columns)) {
        const key = type === 'text' ? 'a' : 1;
        const at = { after: { key, id: 1 } };
        for (const descending of [false, true]) {
          await users.page(1, { sort: { field, descending }, filters: [], limit, at });
        }
        const [byId, exact] = [
          { field: 'id', descending: false },
          { field, test: 'is' as const, values: [key] },
        ];
        await users.page(1, { sort: byId, filters: [exact], limit, at: { after: { key: 1, id: 1 } } });
        if (type === 'number') continue;
        const begins = { field, test: 'begins' as const, values: ['a'] };
        await users.page(1, { sort: { field, descending: false }, filters: [begins], limit, at });
      }
      const prepared = shortReads(engine.db).slice(known);
      assert.equal(prepared.length, 2 * Object.keys(userListing.columns).length);
      for (const { text, numbered } of prepared) {
        const bindings = Array.from(text.matchAll(/\?/g), () => 1);
        queries.push({ sql: kind === 'sqlite' ? text : numbered, bindings });
      }
      assert.ok(queries.length > 60, `${queries.length} statements`);
      for (const query of queries) {
        await assertIndexed(query);
        assert.deepEqual(await sortsOf(query), [], query.sql);
      }
    });

    test('statements that are prepared by name have names of their own, which PostgreSQL does not cut off', () => {
      const names = [...fixedStatements, ...shortReads(engine.db)].map(({ name }) => name);
      assert.ok(names.some((name) => name.startsWith('page-')));
      assert.equal(new Set(names).size, names.length);
      // With what a lock adds.
      assert.deepEqual(
        names.filter((name) => name.length > 63 - ' for no key update'.length),
        [],
      );
    });

    test('no prepared statement scans a table', async () => {
      for (const { text, numbered } of fixedStatements) {
        const bindings = Array.from({ length: text.split('?').length - 1 }, () => 1);
        await assertIndexed({ sql: kind === 'sqlite' ? text : numbered, bindings });
      }
      if (kind === 'sqlite') {
        const { addToken: _, ...looking } = sqliteStatements;
        const { append: __, move: ___, ...heads } = chainStatements;
        for (const sql of [looking, hotOnSqlite, heads].flatMap((texts) => Object.values<string>(texts))) {
          await assertIndexed({ sql, bindings: Array.from({ length: sql.split('?').length - 1 }, () => 1) });
        }
        for (const table of expiringTables)
          await assertIndexed(deleteDue(table, { now, from: null, limit: 10 }, sqliteDialect));
      } else {
        const scope = [null, null, null, ['["x"]']];
        const batch = Array.from({ length: 11 }, (_, at) => scope[at] ?? [1]);
        await assertIndexed({ sql: rotateAll, bindings: [1, ...batch, 1] });
        await assertIndexed({ sql: lockGrants, bindings: [1, [1]] });
        await assertIndexed({ sql: lockHead, bindings: [1] });
        for (const sql of Object.values(hotOnPostgres)) await assertIndexed({ sql, bindings: [1, [1]] });
      }
    });

    // SQLite counts its rows in its own key.
    const leading = kind === 'sqlite' ? 'holds' : 'leads with';
    test(`every key of a table that belongs to accounts ${leading} the account`, async () => {
      if (kind === 'sqlite') return assertSqliteKeys();
      const { rows } = await engine.db.raw(`
        select c.relname as table, i.relname as index, a.attname as first
        from pg_index x
        join pg_class c on c.oid = x.indrelid
        join pg_class i on i.oid = x.indexrelid
        join pg_attribute a on a.attrelid = c.oid and a.attnum = x.indkey[0]
        where x.indisunique and c.relnamespace = 'public'::regnamespace and exists (
          select 1 from pg_attribute o where o.attrelid = c.oid and o.attname = 'account_id' and not o.attisdropped)`);
      assert.ok(rows.length > 20);
      // A host is looked up to learn the account.
      const others = rows.filter((row: { table: string; first: string }) => row.table !== 'account_hosts');
      for (const row of others) assert.equal(row.first, 'account_id', JSON.stringify(row));
    });

    test('every foreign key between tables of accounts holds the account', async () => {
      const sql =
        kind === 'sqlite'
          ? `select m.name as "table", group_concat(f."from") as columns from sqlite_master m
             join pragma_foreign_key_list(m.name) f where m.type = 'table' group by m.name, f.id`
          : `select conrelid::regclass::text as "table", string_agg(attname, ',') as columns from pg_constraint
             join pg_attribute on attrelid = conrelid and attnum = any(conkey) where contype = 'f' group by oid, conrelid`;
      const answer = await engine.db.raw(sql);
      const keys: { table: string; columns: string }[] = kind === 'sqlite' ? answer : answer.rows;
      assert.ok(keys.length > 20);
      for (const { table, columns } of keys) assert.match(columns, /account_id/, `${table} (${columns})`);
    });
  });
}
