import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import type { Failure } from '../../src/domain/failure.ts';
import type { Engine } from '../../src/store/knex/engine.ts';
import { openStore } from '../../src/store/knex/index.ts';
import { openPostgres } from '../../src/store/knex/postgres/engine.ts';
import type { Store } from '../../src/store/store.ts';
import { untilWaiting } from '../support/locks.ts';
import { openTestStore, type TestStore } from '../support/stores.ts';
import { untilOpened } from '../support/until.ts';
import { failureOf, newAccount, newCast, newGrant, newUser, present } from './samples.ts';

describe('PostgreSQL', () => {
  let opened: TestStore;
  let engine: Engine;
  let other: pg.Client;

  before(async () => {
    opened = await openTestStore('postgres');
    engine = openPostgres({ url: opened.url, log: () => {}, waitMilliseconds: 60_000 });
    other = new pg.Client({ connectionString: opened.url });
    await other.connect();
  });
  after(async () => {
    await other.end();
    await engine.db.destroy();
    await opened.dispose();
  });

  test('commits wait for the disk, and every statement, lock and idle transaction has a timeout', async () => {
    const { rows } = await engine.db.raw(`select current_setting('synchronous_commit') as commit,
      current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
      current_setting('idle_in_transaction_session_timeout') as idle`);
    assert.deepEqual(rows, [{ commit: 'on', statement: '5s', lock: '1min', idle: '10s' }]);
  });

  test('tables with short-lived rows are vacuumed early', async () => {
    const { rows } = await engine.db.raw(
      "select relname as table, reloptions as options from pg_class where relkind = 'r' and reloptions::text like '%vacuum%'",
    );
    const options = new Map<string, string[]>(
      rows.map(({ table, options }: { table: string; options: string[] }) => [table, options]),
    );
    const busy = [
      'access_tokens',
      'grants',
      'sessions',
      'codes',
      'ended_requests',
      'hook_executions',
      'kept_answers',
      'refusals',
      'limit_counts',
    ];
    for (const table of busy) {
      const found = (options.get(table) ?? []).filter((option) => option.startsWith('autovacuum'));
      assert.deepEqual(found.toSorted(), ['autovacuum_vacuum_scale_factor=0.02', 'autovacuum_vacuum_threshold=1000']);
    }
    assert.ok(options.get('grants')?.includes('fillfactor=70'));
  });

  test('a transaction that waited too long for a row is retried once', async () => {
    let impatient: Store | null = null;
    while (!impatient) {
      // On a busy machine it takes longer to connect.
      impatient = await openStore({ url: opened.url, acquireTimeoutMilliseconds: 100 }).catch((error: Failure) => {
        assert.equal(error.code, 'unavailable');
        return null;
      });
    }
    const { transaction } = impatient;
    try {
      const { id: accountId } = await newAccount(opened.store);
      const { id } = await newUser(opened.store, accountId);
      const lock = async (lettingGo: number) => {
        let attempts = 0;
        await other.query('begin');
        await other.query('select id from users where account_id = $1 and id = $2 for update', [accountId, id]);
        const locked = transaction(async (tx) => {
          attempts += 1;
          if (attempts === lettingGo) await other.query('commit');
          return tx.users.lock(accountId, id);
        });
        const outcome = await locked.then(
          (user) => user?.id,
          ({ code }: Failure) => code,
        );
        if (attempts < lettingGo) await other.query('commit');
        return [outcome, attempts];
      };
      assert.deepEqual(await lock(2), [id, 2]);
      assert.deepEqual(await lock(3), ['unavailable', 2]);
    } finally {
      await impatient.close();
    }
  });

  const statements = async (): Promise<string[]> => {
    const { rows } = await engine.db.raw('select name from pg_prepared_statements order by name');
    return rows.map(({ name }: { name: string }) => name);
  };

  /** How often the connection ran a prepared statement. */
  const runsOf = async (name: string): Promise<number> => {
    const sql = 'select generic_plans + custom_plans as runs from pg_prepared_statements where name = ?';
    const { rows } = await engine.db.raw(sql, [name]);
    return rows[0]?.runs ?? 0;
  };

  test('a batch of good tokens is one statement', async () => {
    const cast = await newCast(opened.store);
    const grants = await Promise.all(Array.from({ length: 32 }, () => newGrant(opened.store, cast)));
    const outcomes = await engine.hot.consumeAll(
      engine.db,
      grants.map((grant) => present(grant, { scope: ['openid'] })),
    );
    assert.ok(outcomes.every(({ outcome }) => outcome === 'rotated'));
    assert.deepEqual(await statements(), ['rotate-all']);
    await engine.hot.consumeAll(engine.db, [present(grants[0] ?? assert.fail())]);
    // Unusual outcomes are recorded in the trail.
    const telling = ['add-head', 'lock-head', 'write-events'];
    assert.deepEqual(await statements(), ['lock-grants', 'rotate-all', 'write-outcomes', ...telling].toSorted());
  });

  test('that statement waits for a row and then uses its new version', async () => {
    const grant = await newGrant(opened.store, await newCast(opened.store));
    await other.query('begin');
    await other.query('update grants set nonce = $1 where id = $2', ['changed', grant.id]);
    const before = await runsOf('rotate-all');
    const judgedBefore = await runsOf('lock-grants');
    const waiting = engine.hot.consumeAll(engine.db, [present(grant)]);
    await untilWaiting(opened.url, waiting);
    await other.query('commit');
    const [outcome] = await waiting;
    assert.ok(outcome?.outcome === 'rotated');
    assert.deepEqual([await runsOf('rotate-all'), await runsOf('lock-grants')], [before + 1, judgedBefore]);
    assert.deepEqual([outcome.grant.nonce, outcome.grant.generation], ['changed', 1]);
    const after = await opened.store.grants.find(grant.accountId, grant.id);
    assert.deepEqual(after, outcome.grant);
  });

  test('a rotation updates no index', async () => {
    const grant = await newGrant(opened.store, await newCast(opened.store));
    await opened.store.grants.consumeAll([present(grant)]);
    const { rows } = await engine.db.raw(`select indkey::int[] && array(select attnum::int from pg_attribute
      where attrelid = 'grants'::regclass and attname in ('current_digest', 'previous_digest', 'successor_salt',
        'rotated_at', 'generation', 'idle_expires_at')) as touched from pg_index where indrelid = 'grants'::regclass`);
    assert.ok(rows.length > 0);
    for (const { touched } of rows) assert.equal(touched, false);
  });

  test('a lock that is held too long is an outage, which ends with the lock', async () => {
    const { accountId, id } = await newUser(opened.store, (await newAccount(opened.store)).id);
    const impatient = await untilOpened(() => openStore({ url: opened.url, acquireTimeoutMilliseconds: 3000 }));
    try {
      await other.query('begin');
      await other.query('select 1 from users where id = $1 for update', [id]);
      assert.equal(await failureOf(impatient.users.clearAttempts(accountId, id)), 'unavailable');
      assert.equal((await impatient.users.find(accountId, id))?.id, id);
      await other.query('rollback');
      await impatient.users.clearAttempts(accountId, id);
    } finally {
      await impatient.close();
    }
  });

  test('a pool with no free connection is an outage, not a queue without end', async () => {
    const impatient = await untilOpened(() => openStore({ url: opened.url, acquireTimeoutMilliseconds: 3000 }));
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    try {
      const holding: Promise<void>[] = [];
      while (holding.length < 10) {
        const begun = Promise.withResolvers<boolean>();
        const one = impatient.transaction(() => {
          begun.resolve(true);
          return held;
        });
        // On a busy machine a connection may take longer to open than this store waits for it.
        one.catch(() => begun.resolve(false));
        if (await begun.promise) holding.push(one);
      }
      assert.equal(await failureOf(impatient.accounts.find(1)), 'unavailable');
      release();
      await Promise.all(holding);
      assert.equal(await impatient.accounts.find(2 ** 40), null);
    } finally {
      release();
      await impatient.close();
    }
  });

  test('connections closed by the server are replaced', async () => {
    await Promise.all(Array.from({ length: 5 }, () => opened.store.ping()));
    const transaction = opened.store.transaction(async (tx) => {
      await newAccount(tx);
      await other.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      );
      await newAccount(tx);
    });
    assert.equal(await failureOf(transaction), 'unavailable');
    // A closed connection is noticed when it is used, or a moment later: each may fail once.
    const mostConnections = 10;
    let refusals = 0;
    while (refusals < mostConnections && (await failureOf(newAccount(opened.store))) === 'unavailable') refusals += 1;
    assert.ok(await newAccount(opened.store));
  });

  test('an unreachable or read-only server is an outage', async () => {
    const nobody = openStore({ url: 'postgres://nobody@127.0.0.1:1/none', acquireTimeoutMilliseconds: 3000 });
    assert.equal(await failureOf(nobody), 'unavailable');
    const wrong = openStore({ url: opened.url.replace(/:\w+@/, ':wrong@') });
    await assert.rejects(
      wrong,
      ({ code, detail }: Failure) => code === 'unavailable' && /password/.test(detail.reason ?? ''),
    );
    const readOnly = new URL(opened.url);
    readOnly.searchParams.set('options', '-c default_transaction_read_only=on');
    const store = await openStore({ url: readOnly.href, acquireTimeoutMilliseconds: 60_000 });
    assert.equal(await failureOf(newAccount(store)), 'unavailable');
    assert.ok(await store.accounts.list());
    await store.close();
  });

  test("backups are left to PostgreSQL's own tools", async () => {
    assert.equal(await failureOf(opened.store.backup('/nowhere')), 'request_invalid');
  });
});
