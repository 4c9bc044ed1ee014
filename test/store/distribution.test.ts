/** What `gatehouse db distribute` plans, read and called on a plain PostgreSQL. */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { withDistribution } from '../../src/store/knex/index.ts';
import { apply, readPlan, readStatus } from '../../src/store/knex/postgres/distribution/carry-out.ts';
import { withStubs } from '../support/citus-stubs.ts';
import { openTestStore, type TestStore } from '../support/stores.ts';
import { readTriggers, writes } from '../support/triggers.ts';

describe('the plan that distributes a database by account', () => {
  let opened: TestStore;
  let client: pg.Client;

  before(async () => {
    opened = await openTestStore('postgres');
    client = new pg.Client({ connectionString: opened.url });
    await client.connect();
  });
  after(async () => {
    await client.end();
    await opened.dispose();
  });

  /** Runs `work` on a schema that is changed so, and undoes it. */
  async function changed<Result>(statements: string, work: () => Promise<Result>): Promise<Result> {
    await client.query('begin');
    try {
      await client.query(statements);
      return await work();
    } finally {
      await client.query('rollback');
    }
  }

  const confirmed = { dropTriggers: true };
  const start = (given = confirmed) => apply(client, given, () => {});

  it('places every table, and nothing is in its way', async () => {
    const { distributed, reference, local, unplaced, obstacles } = await readPlan(client);
    const { rows } = await client.query("select count(*)::int as tables from pg_tables where schemaname = 'public'");
    assert.equal(distributed.length + reference.length + local.length, rows[0].tables);
    assert.deepEqual(unplaced, []);
    assert.deepEqual(reference, ['accounts', 'account_hosts', 'api_keys', 'facts', 'package_bundles']);
    assert.deepEqual(obstacles, []);
  });

  it('drops each trigger but those that only refuse, by statements of their own', async () => {
    const { dropping, statements } = await readPlan(client);
    const triggers = await readTriggers(opened.url);
    assert.ok(dropping.length > 20);
    assert.deepEqual(
      dropping.map(({ sql }) => sql).toSorted(),
      triggers
        .filter(writes)
        .map(({ name, table }) => `drop trigger ${name} on ${table}`)
        .toSorted(),
    );
    const kept = triggers.filter((one) => !writes(one)).map(({ name, table }) => `${table}.${name}`);
    assert.deepEqual(kept, ['events.events_refuse_rows', 'events.events_refuse_statements']);
    assert.match(statements[0]?.because ?? '', new RegExp(`^${kept.join(', ')} stay`));
    const dropped = dropping.map(({ sql }) => sql).join('; ');
    assert.deepEqual(await changed(dropped, async () => (await readPlan(client)).dropping), []);
  });

  const planted = [
    [
      'create trigger planted after insert on users for each row execute function clients_update_generation()',
      /^trigger planted on users writes rows/,
    ],
    ['create table planted (id bigint primary key)', /^table planted has no account_id/],
    ['create table planted (account_id bigint, id bigint)', /^planted has no primary key/],
    [
      'create table planted (account_id bigint, id bigint unique, primary key (account_id, id))',
      /^unique key planted_id_key of planted lacks account_id/,
    ],
    [
      'create table planted (account_id bigint, id int generated always as identity, primary key (account_id, id))',
      /^column id of planted counts in less than 64 bits/,
    ],
    ['create unique index planted on users (email)', /^unique key planted of users lacks account_id/],
    [
      'alter table users add constraint planted foreign key (id, account_id) references users (account_id, id)',
      /^foreign key planted of users lacks account_id/,
    ],
    [
      'alter table facts add column a bigint, add column b bigint, add constraint planted foreign key (a, b) references users',
      /^foreign key planted of facts leads from all nodes/,
    ],
    [
      'alter table users add constraint planted foreign key (account_id, id) references users on delete set null',
      /^foreign key planted of users would clear account_id/,
    ],
    [
      'alter table users add column a bigint, add constraint planted foreign key (account_id, a) references clients; ' +
        'alter table clients add column b bigint, add constraint planted foreign key (account_id, b) references users',
      /^clients refers to a table that refers to it/,
    ],
  ] as const;
  for (const [statement, words] of planted) {
    it(`is refused after: ${statement}`, async () => {
      const obstacles = await changed(statement, async () => (await readPlan(client)).obstacles);
      assert.ok(
        obstacles.some((one) => words.test(one)),
        obstacles.join('\n'),
      );
      await assert.rejects(
        changed(statement, () => start()),
        /the schema does not fit/,
      );
    });
  }

  it('has statements that PostgreSQL takes in this form', async () => {
    const { nodes, dropping, statements, moving, watching } = await readPlan(client);
    const all = [...nodes, ...dropping, ...statements, ...moving, ...watching];
    assert.ok(all.length > 50);
    await withStubs(client, async () => {
      for (const { sql } of all) {
        // What is not there cannot be created, but its statement can be read.
        const isExtension = /^create extension/.test(sql);
        await client.query(isExtension ? `create function stub.read() returns void language sql as $$ ${sql} $$` : sql);
      }
      await assert.rejects(client.query("select create_distributed_table('users')"), /does not exist/);
    });
  });

  it('only reads', async () => {
    const before = await readPlan(client);
    await withDistribution(opened.url, async (distribution) => {
      assert.deepEqual(await distribution.plan(), before);
      assert.equal((await distribution.status()).isDistributed, false);
    });
    assert.deepEqual(await readPlan(client), before);
  });

  it('is not carried out where Citus is missing', async () => {
    const { citus, workers, tables } = await readStatus(client);
    assert.deepEqual({ citus, workers }, { citus: null, workers: [] });
    assert.deepEqual([...new Set(tables.map(({ found }) => found))], ['local']);
    await assert.rejects(start(), /Citus is not installed/);
  });

  it('is carried out in the order of references, once, and its status is told', async () => {
    await withStubs(client, async () => {
      await assert.rejects(start(), /no worker is known/);
      await client.query("insert into stub.pg_dist_node values ('worker-1.internal', 5432, true, true)");
      await opened.store.close();
      await assert.rejects(start({ dropTriggers: false }), /triggers are to be dropped .* add --drop-triggers/);
      await client.query("select create_reference_table('facts')");
      const { dropping } = await readPlan(client);
      const told: string[] = [];
      const sent = await apply(client, confirmed, (sql) => told.push(sql));
      assert.deepEqual(told, sent);
      assert.deepEqual(
        sent.slice(0, dropping.length),
        dropping.map(({ sql }) => sql),
      );
      const others = sent.slice(dropping.length);
      assert.ok(others.length > 0);
      for (const sql of others) assert.match(sql, /^set local citus\.enable_unsafe_triggers to on; select create_/);
      const { rows } = await client.query('select called from stub.calls order by number');
      const calls: string[] = rows.map(({ called }) => called);
      const at = (call: string) => calls.indexOf(call);
      assert.equal(calls.filter((call) => call === 'reference facts').length, 1);
      assert.ok(at('reference accounts') < at('distributed policies'));
      assert.ok(at('distributed policies') < at('distributed users'));
      assert.ok(at('distributed users') < at('distributed grants'));
      const status = await readStatus(client);
      assert.deepEqual(
        status.tables.filter(({ wanted, found }) => wanted !== found),
        [],
      );
      assert.equal(status.isDistributed, true);
      assert.deepEqual(status.workers, ['worker-1.internal:5432']);
      const again = await start({ dropTriggers: false });
      assert.deepEqual(again, []);
      await client.query("update stub.citus_tables set colocation_id = 99 where table_name = 'grants'::regclass");
      await assert.rejects(start(), /grants is distributed apart and not distributed/);
    });
  });
});
