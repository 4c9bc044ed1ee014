import assert from 'node:assert/strict';
import { rmSync, statSync, writeFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import Sqlite from 'better-sqlite3';
import { Failure } from '../../src/domain/failure.ts';
import type { Engine } from '../../src/store/knex/engine.ts';
import { createStore, openStore } from '../../src/store/knex/index.ts';
import { openSqlite } from '../../src/store/knex/sqlite/engine.ts';
import type { StoreVerbs } from '../../src/store/store.ts';
import { openPatientStore, openTestStore, type TestStore } from '../support/stores.ts';
import { failureOf, newAccount, newCast, newGrant, present, unique } from './samples.ts';

describe('SQLite', () => {
  let opened: TestStore;
  let engine: Engine;
  let file: string;

  before(async () => {
    opened = await openTestStore('sqlite');
    file = opened.url.slice('sqlite:'.length);
    engine = openSqlite({ url: opened.url, log: () => {}, waitMilliseconds: 60_000 });
  });
  after(async () => {
    await engine.db.destroy();
    await opened.dispose();
  });

  const pragma = async (name: string): Promise<unknown> => Object.values((await engine.db.raw(`pragma ${name}`))[0])[0];

  test('commits wait for the disk: WAL and synchronous=FULL, also after a write', async () => {
    await engine.db('facts').insert({ name: unique(), value: 'x' });
    assert.equal(await pragma('journal_mode'), 'wal');
    assert.equal(await pragma('synchronous'), 2);
    assert.equal(await pragma('foreign_keys'), 1);
  });

  test('no database is made in an empty file of another user', async (t) => {
    const empty = `${file}.empty`;
    writeFileSync(empty, '');
    t.after(() => rmSync(empty));
    const options = { url: `sqlite:${empty}`, log: () => {}, waitMilliseconds: 60_000 };
    t.mock.method(process as Required<NodeJS.Process>, 'geteuid', () => statSync(empty).uid + 1);
    const isRefusal = (error: unknown) =>
      error instanceof Failure && /is an empty file of another user/.test(String(error.detail.message));
    assert.throws(() => openSqlite(options), isRefusal);
    assert.equal(statSync(empty).size, 0);
    t.mock.restoreAll();
    await openSqlite(options).db.destroy();
  });

  test('a connection that does not wait for the disk is detected at its first write', async () => {
    const other = openSqlite({ url: opened.url, log: () => {}, waitMilliseconds: 60_000 });
    try {
      const connection = await other.db.client.acquireConnection();
      connection.pragma('synchronous = NORMAL');
      await other.db.client.releaseConnection(connection);
      assert.equal(await failureOf(other.db('facts').insert({ name: unique(), value: 'x' })), 'internal');
      const grant = await newGrant(opened.store, await newCast(opened.store));
      assert.equal(await failureOf(other.hot.consumeAll(other.db, [present(grant)])), 'internal');
    } finally {
      await other.db.destroy();
    }
  });

  test('what fails in a read of several statements is told as it is, where SQLite has ended the transaction', async () => {
    const other = openSqlite({ url: opened.url, log: () => {}, waitMilliseconds: 60_000 });
    try {
      const connection = await other.db.client.acquireConnection();
      await other.db.client.releaseConnection(connection);
      const prepare = connection.prepare.bind(connection);
      const get = () => {
        connection.exec('rollback');
        throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_READ' });
      };
      connection.prepare = (text: string) => (/from access_tokens/.test(text) ? { get } : prepare(text));
      await assert.rejects(other.hot.findAccessTokens(other.db, 1, [1]), /^Error: disk I\/O error$/);
      connection.prepare = prepare;
      assert.deepEqual(await other.hot.findCredentialTokens(other.db, 1, [1]), [null]);
    } finally {
      await other.db.destroy();
    }
  });

  test('the files are readable by their owner only', async () => {
    await newAccount(opened.store);
    for (const name of [file, `${file}-wal`, `${file}-shm`]) assert.equal(statSync(name).mode & 0o777, 0o600, name);
  });

  test('a held lock blocks no reader (D4)', async () => {
    const store = await openStore({ url: opened.url, acquireTimeoutMilliseconds: 300 });
    const other = new Sqlite(file);
    try {
      const account = await newAccount(store);
      other.exec('begin immediate');
      assert.equal(await failureOf(newAccount(store)), 'unavailable');
      const outcomes = await Promise.all(
        Array.from({ length: 100 }, async (_, turn) => {
          if (turn % 2 === 0) return failureOf(newAccount(store));
          return (await store.accounts.find(account.id))?.id;
        }),
      );
      assert.deepEqual(new Set(outcomes), new Set(['unavailable', account.id]));
      other.exec('rollback');
      assert.ok(await newAccount(store));
    } finally {
      other.close();
      await store.close();
    }
  });

  test('while another process writes a verb waits without blocking this process, or fails as unavailable', async () => {
    const impatient = await openStore({ url: opened.url, acquireTimeoutMilliseconds: 300 });
    const grant = await newGrant(opened.store, await newCast(opened.store));
    const other = new Sqlite(file);
    try {
      other.exec('begin immediate');
      let turns = 0;
      const timer = setInterval(() => {
        turns += 1;
      }, 1);
      assert.equal(await failureOf(newAccount(impatient)), 'unavailable');
      assert.equal(await failureOf(impatient.grants.consumeAll([present(grant)])), 'unavailable');
      assert.equal(await failureOf(impatient.transaction(async () => {})), 'unavailable');
      assert.ok(await impatient.grants.find(grant.accountId, grant.id), 'reading continues');
      clearInterval(timer);
      assert.ok(turns > 2, `${turns} turns of the event loop`);
      const waiting = [newAccount(opened.store), opened.store.grants.consumeAll([present(grant)])] as const;
      setTimeout(() => other.exec('commit'), 30);
      const [account, [outcome]] = await Promise.all(waiting);
      assert.ok(account.id > 0);
      assert.equal(outcome?.outcome, 'rotated');
      assert.ok(await newAccount(impatient));
    } finally {
      other.close();
      await impatient.close();
    }
  });

  test('a read-only file or a missing table is an outage until it is repaired (D4)', async () => {
    const grant = await newGrant(opened.store, await newCast(opened.store));
    const store = createStore(engine);
    const outages = [
      ['pragma query_only = on', 'pragma query_only = off'],
      ['alter table grants rename to away', 'alter table away rename to grants'],
    ];
    for (const [begin = '', end = ''] of outages) {
      await engine.db.raw(begin);
      for (const work of [
        () => newGrant(store, { ...grant }),
        () => store.grants.consumeAll([present(grant)]),
        () => store.transaction((tx) => tx.grants.revoke(grant.accountId, grant.id, 1, 'test')),
      ]) {
        assert.equal(await failureOf(work()), 'unavailable', begin);
      }
      assert.ok(await store.users.find(grant.accountId, grant.userId), 'reading continues');
      await engine.db.raw(end);
    }
    const [outcome] = await store.grants.consumeAll([present(grant)]);
    assert.equal(outcome?.outcome, 'rotated');
  });

  test('when the disk is full writes fail as unavailable and reads continue; later everything works', async () => {
    const cast = await newCast(opened.store);
    const grant = await newGrant(opened.store, cast);
    const full = openSqlite({ url: opened.url, log: () => {}, waitMilliseconds: 60_000 });
    const store = createStore(full);
    const pages = Number(await pragma('page_count'));
    const limit = (count: number) => full.db.raw(`pragma max_page_count = ${count}`);
    const flood = async (tx: StoreVerbs) => {
      for (let count = 0; count < 10_000; count += 1) await newAccount(tx, { name: 'x'.repeat(999) });
    };
    try {
      await limit(pages);
      assert.equal(await failureOf(flood(store)), 'unavailable');
      assert.equal(await failureOf(store.transaction(flood)), 'unavailable');
      const many = Array.from({ length: 2000 }, () => present(grant));
      assert.equal(await failureOf(store.grants.consumeAll(many)), 'unavailable');
      assert.deepEqual(await store.grants.find(cast.accountId, grant.id), grant);
      const halfway = store.transaction(async (tx) => {
        await failureOf(flood(tx));
        await tx.facts.keep('after the disk was full', 'x');
      });
      assert.equal(await failureOf(halfway), 'unavailable');
      await limit(pages + 10_000);
      assert.equal(await store.facts.read('after the disk was full'), null);
      assert.equal((await store.grants.consumeAll([present(grant)]))[0]?.outcome, 'rotated');
    } finally {
      await full.db.destroy();
    }
  });

  test('a file that is not a database is refused', async () => {
    const wrong = `${file}.txt`;
    writeFileSync(wrong, 'not a database, but a text that is long enough to be read as one'.repeat(100));
    assert.equal(await failureOf(openStore({ url: `sqlite:${wrong}` })), 'unavailable store');
    assert.equal(await failureOf(openStore({ url: 'mysql://x' })), 'value_invalid DATABASE_URL');
    assert.equal(await failureOf(openStore({ url: 'sqlite:' })), 'value_invalid DATABASE_URL');
  });

  test('a backup taken during writes is complete, opens, and contains what was there', async () => {
    const cast = await newCast(opened.store);
    const grant = await newGrant(opened.store, cast);
    const copy = `${file}.backup`;
    const second = await openPatientStore(opened.url);
    let writing = true;
    const writer = (async () => {
      while (writing) await newAccount(opened.store);
    })();
    try {
      await second.backup(copy);
      assert.equal(await failureOf(second.backup(copy)), 'conflict file');
    } finally {
      writing = false;
      await writer;
      await second.close();
    }
    assert.equal(statSync(copy).mode & 0o777, 0o600);
    const checked = new Sqlite(copy);
    assert.equal(checked.pragma('integrity_check', { simple: true }), 'ok');
    assert.deepEqual(checked.pragma('foreign_key_check'), []);
    checked.close();
    const restored = await openPatientStore(`sqlite:${copy}`);
    assert.deepEqual(await restored.grants.find(cast.accountId, grant.id), grant);
    assert.equal((await restored.grants.consumeAll([present(grant)]))[0]?.outcome, 'rotated');
    await restored.close();
  });
});
