/** The store where a connection of PostgreSQL keeps its transactions and no session. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Knex } from 'knex';
import pg from 'pg';
import { openStore } from '../../src/store/knex/index.ts';
import { endWhenSilent } from '../../src/store/knex/postgres/deadline.ts';
import { openPostgres } from '../../src/store/knex/postgres/engine.ts';
import { sendNamed } from '../../src/store/knex/postgres/statements.ts';
import { carrySettings } from '../../src/store/knex/postgres/transaction-pooling.ts';
import { type Pooler, type PoolerOptions, startPooler } from '../support/pooler.ts';
import { execute } from '../support/rows.ts';
import { openTestStore, type TestStore } from '../support/stores.ts';
import { newCast, newGrant, present } from './samples.ts';

const patient = { pooling: 'transaction', acquireTimeoutMilliseconds: 60_000 } as const;

/** What a statement runs under. */
const look = `select current_setting('synchronous_commit') as commit, current_setting('statement_timeout') as statement,
  current_setting('lock_timeout') as lock, current_setting('transaction_read_only') as readonly`;
/** What it brings along, and what the sessions of the server have. */
const own = { commit: 'on', statement: '5s', lock: '1min', readonly: 'off' };
const ofSession = { commit: 'off', statement: '0', lock: '0', readonly: 'off' };

/** Sends a statement without what the connection brings along. */
function sendPast(connection: pg.Client, text: string): Promise<pg.QueryResult> {
  const send: (this: pg.Client, text: string) => Promise<pg.QueryResult> = pg.Client.prototype.query;
  return send.call(connection, text);
}

describe('DATABASE_POOLING=transaction', () => {
  let opened: TestStore;
  let setDatabase: (setting: string) => Promise<void>;
  before(async () => {
    opened = await openTestStore('postgres');
    const name = new URL(opened.url).pathname.slice(1);
    setDatabase = (setting) => execute(opened.url, `alter database ${name} set ${setting}`);
    // As an operator may have it: durable commits are asked for by each transaction.
    await setDatabase('synchronous_commit to off');
  });
  after(() => opened.dispose());

  const behind = async (options: PoolerOptions, work: (pooler: Pooler) => Promise<void>) => {
    const pooler = await startPooler(opened.url, options);
    await work(pooler).finally(pooler.close);
  };

  for (const [size, next] of [
    [1, 'last'],
    [3, 'first'],
  ] as const) {
    test(`${size} connections, the ${next} one next: all works, and nothing is left in a session`, async () => {
      await behind({ mode: 'transaction', size, next }, async ({ url }) => {
        const store = await openStore({ url, ...patient });
        try {
          const cast = await newCast(store);
          const grants = await Promise.all(Array.from({ length: 12 }, () => newGrant(store, cast)));
          const batches = grants.map((grant, at) => [present(grant), ...(at % 2 === 0 ? [present(grant)] : [])]);
          const outcomes = await Promise.all(batches.map((batch) => store.grants.consumeAll(batch)));
          const expected = batches.map((batch) => ['rotated', 'repeated'].slice(0, batch.length));
          assert.deepEqual(
            outcomes.map((batch) => batch.map(({ outcome }) => outcome)),
            expected,
          );
          const [user, users] = await Promise.all([
            store.transaction((tx) => tx.users.find(cast.accountId, cast.userId)),
            store.users.list(cast.accountId),
            store.generation(cast.accountId),
            store.ping(),
          ]);
          assert.deepEqual([user?.id, users.length], [cast.userId, 1]);
        } finally {
          await store.close();
        }
        const client = new pg.Client({ connectionString: url });
        await client.connect();
        const others = "(select count(*)::int from pg_prepared_statements where name !~ '-[0-9a-f]{16}$') as others";
        for (let times = 0; times < 3 * size; times += 1) {
          assert.deepEqual((await client.query(`${look}, ${others}`)).rows, [{ ...ofSession, others: 0 }]);
        }
        await client.end();
      });
    });
  }

  test('a statement and a transaction bring their settings along, which end with them', async () => {
    const engine = openPostgres({ url: opened.url, log: () => {}, waitMilliseconds: 60_000, pooling: 'transaction' });
    const pools = [
      [engine.db, own],
      [engine.reading, { ...own, readonly: 'on' }],
    ] as const;
    try {
      for (const [db, expected] of pools) {
        assert.deepEqual((await db.raw(look)).rows, [expected]);
        await db.transaction(async (tx) => assert.deepEqual((await tx.raw(look)).rows, [expected]));
        const client: Knex.Client = db.client;
        const connection: pg.Client = await client.acquireConnection();
        const past = await sendPast(connection, look);
        await client.releaseConnection(connection);
        assert.deepEqual(past.rows, [ofSession]);
      }
    } finally {
      await Promise.all([engine.db.destroy(), engine.reading.destroy()]);
    }
  });

  test('a prepared statement that is missing, of another client, or outdated is prepared again', async () => {
    const clients = [0, 1].map(() => new pg.Client({ connectionString: opened.url })) as [pg.Client, pg.Client];
    const settings = { statementTimeout: 0, lockTimeout: 0, idleInTransactionTimeout: 0, isReadOnly: false };
    const [client, other] = clients;
    await Promise.all(clients.map((one) => one.connect()));
    try {
      for (const one of clients) carrySettings(one, settings);
      await other.query('create table things (number int)');
      await other.query('insert into things values (1)');
      const ask = () => sendNamed(client, { name: 'things', text: 'select * from things', values: [] });
      const names = async () => (await client.query('select name from pg_prepared_statements')).rows.length;
      assert.deepEqual([await ask(), await ask(), await names()], [[{ number: 1 }], [{ number: 1 }], 1]);
      await client.query('deallocate all');
      assert.deepEqual([await ask(), await names()], [[{ number: 1 }], 1]);
      await other.query('alter table things add column name text');
      assert.deepEqual([await ask(), await names()], [[{ number: 1, name: null }], 1]);
      await client.query('deallocate all');
      await client.query('begin');
      assert.deepEqual([await ask(), await names()], [[{ number: 1, name: null }], 0]);
      await client.query('commit');
      await assert.rejects(client.query({ name: 'nothing', text: 'select * from nothing' }), { code: '42P01' });
      assert.deepEqual([await ask(), await names()], [[{ number: 1, name: null }], 1]);
    } finally {
      await other.query('drop table things');
      await Promise.all(clients.map((one) => one.end()));
    }
  });

  test('what is sent again has the time limit of any statement', async () => {
    const client = new pg.Client({ connectionString: opened.url });
    client.on('error', () => {});
    await client.connect();
    carrySettings(client, { statementTimeout: 0, lockTimeout: 0, idleInTransactionTimeout: 0, isReadOnly: false });
    const sleep = (seconds: number) =>
      sendNamed(client, { name: 'sleep', text: 'select pg_sleep($1::int)', values: [seconds] });
    await sleep(0);
    await client.query('deallocate all');
    endWhenSilent(client, 1000);
    await assert.rejects(sleep(60), /Connection terminated/);
  });

  test('their limits end statements and waits for locks', async () => {
    const [limited, other] = [0, 1].map(() => new pg.Client({ connectionString: opened.url })) as [
      pg.Client,
      pg.Client,
    ];
    await Promise.all([limited.connect(), other.connect()]);
    const settings = { statementTimeout: 60_000, lockTimeout: 50, idleInTransactionTimeout: 0, isReadOnly: false };
    try {
      carrySettings(limited, settings);
      await other.query('begin; lock table facts');
      await assert.rejects(limited.query('select 1 from facts'), { code: '55P03' });
      carrySettings(limited, { ...settings, statementTimeout: 50, lockTimeout: 0 });
      await assert.rejects(limited.query('select 1 from facts'), { code: '57014' });
      carrySettings(limited, settings);
      assert.deepEqual((await limited.query('select $1::int as number', [1])).rows, [{ number: 1 }]);
    } finally {
      await Promise.all([limited.end(), other.end()]);
    }
  });

  test('another isolation than READ COMMITTED is found and said; a session sets its own', async () => {
    await setDatabase("default_transaction_isolation to 'repeatable read'");
    const message = /^transactions of the database are not READ COMMITTED by default: alter the role/;
    await assert.rejects(openStore({ url: opened.url, ...patient }), { code: 'unavailable', message });
    const store = await openStore({ url: opened.url, acquireTimeoutMilliseconds: 60_000 });
    await store.close();
    const engine = openPostgres({ url: opened.url, log: () => {}, waitMilliseconds: 60_000 });
    const { rows } = await engine.db.raw("select current_setting('transaction_isolation') as isolation");
    await engine.db.destroy();
    assert.deepEqual(rows, [{ isolation: 'read committed' }]);
  });
});
