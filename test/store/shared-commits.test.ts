/** Transactions on SQLite that share a commit: each is its own, and none is answered before it is durable. */

import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { after, before, beforeEach, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import type { Knex } from 'knex';
import { Failure } from '../../src/domain/failure.ts';
import type { Engine } from '../../src/store/knex/engine.ts';
import { openSqlite } from '../../src/store/knex/sqlite/engine.ts';
import { sharingCommits } from '../../src/store/knex/sqlite/shared-commits.ts';
import { openTestStore, type TestStore } from '../support/stores.ts';
import { until } from '../support/until.ts';

const waitMilliseconds = 1000;
/** So that a busy machine does not separate transactions that a test wants in one commit. */
const togetherMilliseconds = 60_000;

describe('transactions that share a commit', () => {
  let opened: TestStore;
  let engine: Engine;
  let commits: ReturnType<typeof sharingCommits>;
  let other: Sqlite.Database;
  const sent: string[] = [];

  before(async () => {
    opened = await openTestStore('sqlite');
    engine = openSqlite({ url: opened.url, log: () => {}, waitMilliseconds });
    commits = sharingCommits(engine.db, waitMilliseconds, togetherMilliseconds);
    await engine.db.raw('create table orphans (id integer primary key, parent integer references orphans (id))');
    engine.db.on('query', ({ sql }: { readonly sql: string }) => sent.push(sql));
    other = new Sqlite(opened.url.slice('sqlite:'.length), { readonly: true });
  });
  beforeEach(async () => {
    await engine.db('facts').whereLike('name', 'kept %').delete();
    sent.length = 0;
  });
  after(async () => {
    other.close();
    await engine.close();
    await opened.dispose();
  });

  const sentCommits = () => sent.filter((sql) => /^commit/i.test(sql)).length;
  /** As another process sees them. */
  const durable = (): number[] =>
    other
      .prepare("select cast(value as integer) from facts where name like 'kept %' order by 1")
      .pluck()
      .all() as number[];
  const insert = (tx: Knex, id: number) => tx('facts').insert({ name: `kept ${id}`, value: `${id}` });
  const keep = (id: number) => async (tx: Knex) => {
    await insert(tx, id);
    return id;
  };
  const fail = (id: number, error: Error) => async (tx: Knex) => {
    await insert(tx, id);
    throw error;
  };
  const reasonsOf = (settled: readonly PromiseSettledResult<unknown>[]) =>
    settled.map((one) => (one.status === 'rejected' ? (one.reason as Error).message : one.value));
  const codesOf = (settled: readonly PromiseSettledResult<unknown>[]) =>
    settled.map((one) => (one.status === 'rejected' ? (one.reason as { readonly code: string }).code : one.value));

  test('those that arrive together have one commit, and each is durable when it is answered', async () => {
    const ids = Array.from({ length: 10 }, (_, index) => index + 1);
    const answered = ids.map((id) =>
      commits.transact(keep(id)).then((answer) => {
        assert.ok(durable().includes(id), `${id} was answered before it was durable`);
        return answer;
      }),
    );
    assert.deepEqual(await Promise.all(answered), ids);
    assert.deepEqual(durable(), ids);
    assert.equal(sentCommits(), 1);
  });

  test('they run one after the other, in the order in which they arrived', async () => {
    const seen: string[][] = [];
    const look = (id: number) => async (tx: Knex) => {
      const names: string[] = await tx('facts').whereLike('name', 'kept %').orderBy('name').pluck('name');
      seen.push(names);
      await keep(id)(tx);
    };
    await Promise.all([1, 2, 3].map((id) => commits.transact(look(id))));
    assert.deepEqual(seen, [[], ['kept 1'], ['kept 1', 'kept 2']]);
  });

  for (const position of [0, 1, 2]) {
    test(`the one that fails at place ${position} leaves nothing, and the others are kept`, async () => {
      const works = [keep(1), keep(2)];
      works.splice(position, 0, fail(9, new Error('mine')));
      const settled = await Promise.allSettled(works.map((work) => commits.transact(work)));
      const expected: unknown[] = [1, 2];
      expected.splice(position, 0, 'mine');
      assert.deepEqual(reasonsOf(settled), expected);
      assert.deepEqual(durable(), [1, 2]);
    });
  }

  test('when the commit fails, so do all of them, also what had failed by itself', async () => {
    const orphan = async (tx: Knex) => {
      const connection: Sqlite.Database = await tx.client.acquireConnection();
      connection.exec('pragma defer_foreign_keys = on; insert into orphans (parent) values (2)');
      return 3;
    };
    const works = [keep(1), fail(2, new Error('mine')), orphan];
    const settled = await Promise.allSettled(works.map((work) => commits.transact(work)));
    assert.deepEqual(reasonsOf(settled), Array(3).fill('COMMIT; - FOREIGN KEY constraint failed'));
    assert.deepEqual(durable(), []);
    assert.equal(await commits.transact(keep(4)), 4);
    assert.deepEqual(durable(), [4]);
  });

  test('where SQLite ends all of the transaction, those before fail too, and those behind are kept', async () => {
    const ending = async (tx: Knex) => {
      await insert(tx, 2);
      await tx.raw('rollback');
      throw Object.assign(new Error('the disk is full'), { code: 'SQLITE_FULL' });
    };
    const works = [keep(1), ending, keep(3)];
    const settled = await Promise.allSettled(works.map((work) => commits.transact(work)));
    assert.deepEqual(codesOf(settled), ['unavailable', 'SQLITE_FULL', 3]);
    assert.deepEqual(durable(), [3]);
  });

  test('what one is refused for when SQLite ends all of the transaction is told to it alone', async () => {
    for (const [ends, own] of [
      [() => Promise.reject(new Failure('conflict', { name: 'email' })), 'conflict'],
      [async () => 2, 'unavailable'],
    ] as const) {
      const ending = async (tx: Knex) => {
        await tx.raw('rollback');
        return ends();
      };
      const works = [keep(1), ending, keep(3)];
      const settled = await Promise.allSettled(works.map((work) => commits.transact(work)));
      assert.deepEqual(codesOf(settled), ['unavailable', own, 3]);
      assert.deepEqual(durable(), [3]);
      await engine.db('facts').whereLike('name', 'kept %').delete();
    }
  });

  test('nothing runs behind one that ended all of the transaction', async () => {
    const ending = async (tx: Knex) => tx.raw('rollback');
    const settled = await Promise.allSettled([ending, keep(2)].map((work) => commits.transact<unknown>(work)));
    assert.deepEqual(
      settled.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    assert.deepEqual(durable(), []);
  });

  test('none begins too late behind the first one', async () => {
    const { transact } = sharingCommits(engine.db, waitMilliseconds);
    const slow = async (tx: Knex) => {
      await delay(20);
      return keep(1)(tx);
    };
    assert.deepEqual(await Promise.all([slow, keep(2)].map((work) => transact(work))), [1, 2]);
    assert.equal(sentCommits(), 2);
  });

  test('each runs in the context of its caller', async () => {
    const context = new AsyncLocalStorage<number>();
    const seen = await Promise.all(
      [1, 2, 3].map((id) => context.run(id, () => commits.transact(async () => context.getStore()))),
    );
    assert.deepEqual(seen, [1, 2, 3]);
  });

  test('what they share is in the context of none', async () => {
    const context = new AsyncLocalStorage<number>();
    const seen: unknown[] = [];
    const note = ({ sql }: { readonly sql: string }) => seen.push([sql, context.getStore()]);
    engine.db.on('query', note);
    await context.run(1, () => commits.transact(async () => {}));
    engine.db.removeListener('query', note);
    assert.deepEqual(seen, [
      ['BEGIN;', undefined],
      ['COMMIT;', undefined],
    ]);
  });

  test('one that waits too long is refused without having run', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const holder = commits.transact(async () => held);
    const late = await commits.transact(keep(1)).catch((error: { readonly code: string }) => error.code);
    assert.equal(late, 'unavailable');
    release();
    await holder;
    assert.equal(await commits.transact(keep(2)), 2);
    assert.deepEqual(durable(), [2]);
  });

  test('those that wait are counted', async () => {
    // None of them is refused on a busy machine.
    const patient = sharingCommits(engine.db, togetherMilliseconds, togetherMilliseconds);
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const holder = patient.transact(async () => {
      begun.resolve();
      await held;
    });
    await begun.promise;
    assert.equal(patient.waitingTransactions(), 0);
    const others = [1, 2, 3].map((id) => patient.transact(keep(id)));
    await until(() => patient.waitingTransactions() === 3);
    release();
    await Promise.all([holder, ...others]);
    assert.equal(patient.waitingTransactions(), 0);
  });

  test('those that cannot begin are refused without having run, and the next one is served', async () => {
    const writer = new Sqlite(opened.url.slice('sqlite:'.length));
    writer.exec('begin immediate');
    const ran: number[] = [];
    const first = commits.transact(async () => ran.push(1)).catch((error: { readonly code: string }) => error.code);
    // They wait when it is refused.
    await delay(waitMilliseconds / 2);
    const others = [2, 3, 4].map((id) => commits.transact(async () => ran.push(id)));
    assert.equal(await first, 'SQLITE_BUSY');
    const settled = await Promise.race([Promise.allSettled(others), delay(5000, [], { ref: false })]);
    assert.deepEqual(codesOf(settled), Array(3).fill('SQLITE_BUSY'));
    assert.deepEqual(ran, []);
    writer.exec('rollback');
    writer.close();
    assert.equal(await commits.transact(keep(3)), 3);
    assert.deepEqual(durable(), [3]);
  });
});
