/** Long reads: where they run, what they see, and that nothing else waits for them. */

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import type { Knex } from 'knex';
import type { Failure } from '../../src/domain/failure.ts';
import { createReadTurns } from '../../src/domain/read-turns.ts';
import type { Engine } from '../../src/store/knex/engine.ts';
import { createStore, verbsOn } from '../../src/store/knex/index.ts';
import { openPostgres } from '../../src/store/knex/postgres/engine.ts';
import { readingVerbs } from '../../src/store/knex/reading.ts';
import { openSqlite } from '../../src/store/knex/sqlite/engine.ts';
import { type ReadingThread, renewReading, startThread } from '../../src/store/knex/sqlite/reading.ts';
import type { ListQuery } from '../../src/store/listing.ts';
import type { Store } from '../../src/store/store.ts';
import { databases, openTestStore, type TestStore } from '../support/stores.ts';
import { wayTo } from '../support/way.ts';
import { failureOf, newAccount, newCast, newGrant, newUser, present, unique } from './samples.ts';

const firstPage: ListQuery = { sort: { field: 'id', descending: false }, filters: [], limit: 10, at: { page: 1 } };

/** Counts to so much before it answers. */
const counting = (to: number) =>
  `with recursive wanted (n) as (select 1 union all select n + 1 from wanted where n < ${to}) select count(*) from wanted`;

/** Much longer than a few short statements. */
const slow = 10_000_000;

/** Verbs that read what an installation, an account or one user has few of. */
const short = [
  ...['accounts.list', 'attributes.list', 'authorizationServers.listScopes', 'authorizationServers.listClaims'],
  ...['authorizations.listConsents', 'grants.listLive', 'hookVariables.list', 'hooks.listAccounts', 'hooks.listLive'],
  ...[
    'keys.list',
    'packageBuilds.list',
    'passkeys.list',
    'policies.list',
    'policies.listFollowed',
    'secondFactors.listDevices',
  ],
  ...['authorizationServers.listOpenIdentifiers', 'sessions.listOfUser', 'sessions.listUses'],
  // Ten versions of a hook, and their packages; the others say how many they want.
  ...['hooks.listVersions', 'packageBuilds.listReady', 'hookExecutions.listDifferences', 'hookExecutions.listNewest'],
];

for (const kind of databases) {
  describe(`long reads on ${kind}`, () => {
    let opened: TestStore;
    let engine: Engine;
    let store: Store;
    let sent: { readonly usual: string[]; readonly reading: string[] };
    before(async () => {
      opened = await openTestStore(kind);
      const open = kind === 'sqlite' ? openSqlite : openPostgres;
      engine = open({ ...wayTo(opened.url), log: () => {}, waitMilliseconds: 60_000 });
      store = createStore(engine, undefined, createReadTurns);
      sent = { usual: [], reading: [] };
      engine.db.on('query', ({ sql }) => sent.usual.push(sql));
      engine.reading.on('query', ({ sql }) => sent.reading.push(sql));
    });
    after(async () => {
      await store.close();
      await opened.dispose();
    });

    const forget = () => {
      for (const statements of Object.values(sent)) statements.length = 0;
    };

    test('lists are read there, lookups by key are not, and a transaction reads what it wrote', async () => {
      const { id: accountId } = await newAccount(store);
      const user = await newUser(store, accountId);
      forget();
      assert.equal((await store.users.page(accountId, firstPage)).total, 1);
      assert.deepEqual([sent.usual, sent.reading.length > 0], [[], true]);
      forget();
      // By an index alone, a page next to a position is as short.
      const at = { after: { key: user.id - 1, id: user.id - 1 } };
      assert.equal((await store.users.page(accountId, { ...firstPage, at })).items.length, 1);
      assert.deepEqual(sent.reading, []);
      forget();
      assert.equal((await store.users.page(accountId, { ...firstPage, limit: 1000, at })).items.length, 1);
      assert.deepEqual([sent.usual, sent.reading.length > 0], [[], true]);
      forget();
      assert.equal(await store.roles.find(accountId, 1), null);
      assert.deepEqual([sent.reading, sent.usual.length > 0], [[], true]);
      forget();
      const total = await store.transaction(async (tx) => {
        await newUser(tx, accountId);
        return (await tx.users.page(accountId, firstPage)).total;
      });
      assert.deepEqual([sent.reading, total], [[], 2]);
    });

    test('committed writes are visible', async () => {
      const { id: accountId } = await newAccount(store);
      for (let written = 1; written <= 20; written += 1) {
        await newUser(store, accountId);
        assert.equal((await store.users.page(accountId, firstPage)).total, written);
      }
    });

    test('nothing can be written there', async () => {
      const writing = engine.reading('facts').insert({ name: unique(), value: 'x' }).returning('*');
      await assert.rejects(Promise.resolve(writing), /read-?only|SQLITE_READONLY/i);
    });

    test('during a long statement tokens are refreshed and other lists are read', async () => {
      const grant = await newGrant(store, await newCast(store));
      /** Whether the long statement ran on after all that. */
      const outlasted = async (count: number): Promise<boolean> => {
        let pending = true;
        const long = Promise.resolve(engine.reading.raw(counting(count)))
          .catch(() => {})
          .finally(() => {
            pending = false;
          });
        for (let turn = 0; turn < 3; turn += 1) {
          const [outcome] = await store.grants.consumeAll([present(grant, { graceMilliseconds: 600_000 })]);
          assert.match(outcome?.outcome ?? '', /rotated|repeated/);
        }
        assert.ok((await store.users.page(grant.accountId, firstPage)).total);
        const isOutlasted = pending;
        await long;
        return isOutlasted;
      };
      // The disk of a busy machine may take longer than the processor counts; what waits for the statement always does.
      let ran = false;
      for (const times of [0.1, 1, 4, 16]) ran ||= await outlasted(times * slow);
      assert.ok(ran, 'the long statement runs on');
    });

    test('the number of active and waiting reads is limited, and one more is refused', async () => {
      const { id: accountId } = await newAccount(store);
      const outcomes = await Promise.all(
        Array.from({ length: 101 }, () => store.users.page(accountId, firstPage).catch((error: Failure) => error)),
      );
      const refused = outcomes.filter((outcome) => 'code' in outcome);
      assert.deepEqual(
        refused.map(({ code, detail }) => [code, detail.reason]),
        [['unavailable', 'too many lists are being read']],
      );
      assert.equal((await store.users.page(accountId, firstPage)).total, 0);
    });

    test('while an account asks for many lists, those of others and of the service are among the next', async () => {
      const { id: busy } = await newAccount(store);
      const { id: other } = await newAccount(store);
      // The first connections are there: opening them is no part of the order.
      await Promise.all(Array.from({ length: engine.readPlaces.turns }, () => store.users.page(busy, firstPage)));
      // A place is given back after its answer.
      await new Promise(setImmediate);
      let answered = 0;
      const answeredBefore: Record<string, number> = {};
      engine.reading.on('query', ({ sql }) => {
        for (const table of ['events', 'daily_counts']) {
          if (sql.includes(table)) answeredBefore[table] ??= answered;
        }
      });
      const lists = Array.from({ length: 30 }, async () => {
        await store.users.page(busy, firstPage);
        answered += 1;
      });
      const others = [store.events.page(other, firstPage), store.clients.sweepOpen(null, 1)];
      // No list can be read meanwhile.
      for (let step = 0; step < 20; step += 1) await Promise.resolve();
      assert.equal(store.connections()[1]?.waiting, 30 + others.length - engine.readPlaces.turns);
      await Promise.all([...lists, ...others]);
      const after = Object.values(answeredBefore);
      assert.equal(after.length, others.length);
      // As many as had begun may end before.
      assert.ok(Math.max(...after) <= engine.readPlaces.turns, JSON.stringify(answeredBefore));
      assert.deepEqual(store.connections()[1]?.waiting, 0);
    });

    test('a list does not wait while all connections are in use', async () => {
      const { id: accountId } = await newAccount(store);
      const { promise: held, resolve: release } = Promise.withResolvers<void>();
      const begun = Promise.withResolvers<void>();
      const most = Array.from({ length: 10 }, () =>
        store.transaction(async () => {
          begun.resolve();
          await held;
        }),
      );
      await begun.promise;
      assert.equal((await store.users.page(accountId, firstPage)).total, 0);
      release();
      await Promise.all(most);
    });

    test('every verb that lists is read there, or is known to be short', () => {
      const named = Object.entries(verbsOn(engine.db, engine.hot)).flatMap(([group, verbs]) =>
        Object.keys(verbs).map((verb) => `${group}.${verb}`),
      );
      const chosen = Object.entries(readingVerbs).flatMap(([group, verbs]) => verbs.map((verb) => `${group}.${verb}`));
      const others = named.filter((name) => /\.(page|list)/.test(name) && !chosen.includes(name));
      assert.deepEqual(others.toSorted(), short.toSorted());
      assert.deepEqual(
        chosen.filter((name) => !named.includes(name)),
        [],
      );
    });
  });
}

describe('threads that read SQLite', () => {
  let opened: TestStore;
  let engine: Engine;
  let store: Store;
  before(async () => {
    opened = await openTestStore('sqlite');
    engine = openSqlite({ url: opened.url, log: () => {}, waitMilliseconds: 60_000 });
    store = createStore(engine);
  });
  after(async () => {
    await store.close();
    await opened.dispose();
  });

  async function threadOf(reading: Knex): Promise<ReadingThread> {
    const thread: ReadingThread = await reading.client.acquireConnection();
    await reading.client.releaseConnection(thread);
    return thread;
  }

  test('a statement that takes too long is ended together with its thread', async () => {
    const filename = opened.url.slice('sqlite:'.length);
    const thread = startThread({ filename, patienceMilliseconds: 1000, longestMilliseconds: 300 });
    const refused = await thread.all(counting(slow), []).catch((error: Error) => error);
    assert.ok(refused instanceof Error && 'code' in refused && refused.code === 'SQLITE_INTERRUPT');
    assert.equal(thread.isAlive(), false);
    await assert.rejects(thread.all('select 1 as one', []), { code: 'SQLITE_INTERRUPT' });
    await thread.end();
  });

  test('a dying thread is an outage for its reads, and another replaces it', async () => {
    const { id: accountId } = await newAccount(store);
    const thread = await threadOf(engine.reading);
    engine.reading.client.once('query', () => void thread.end());
    assert.equal(await failureOf(store.users.page(accountId, firstPage)), 'unavailable');
    assert.equal((await store.users.page(accountId, firstPage)).total, 0);
    assert.notEqual(await threadOf(engine.reading), thread);
  });

  test('a missing table is an outage, as elsewhere, until it is back', async () => {
    const { id: accountId } = await newAccount(store);
    await engine.db.raw('alter table users rename to away');
    assert.equal(await failureOf(store.users.page(accountId, firstPage)), 'unavailable');
    await engine.db.raw('alter table away rename to users');
    assert.equal((await store.users.page(accountId, firstPage)).total, 0);
  });

  test('newer statistics are read by new threads', async () => {
    const thread = await threadOf(engine.reading);
    assert.equal(await threadOf(engine.reading), thread);
    renewReading(engine.reading);
    assert.notEqual(await threadOf(engine.reading), thread);
    assert.equal(thread.isAlive(), false);
  });

  test('a closed store has ended its threads and leaves one file', async () => {
    const { url, store: other, dispose } = await openTestStore('sqlite');
    const { id: accountId } = await newAccount(other);
    await Promise.all([1, 2, 3].map(() => other.users.page(accountId, firstPage)));
    await other.close();
    assert.equal(existsSync(`${url.slice('sqlite:'.length)}-wal`), false);
    await dispose();
  });
});
