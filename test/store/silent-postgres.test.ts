/**
 * A PostgreSQL that accepts and never answers (D4): callers get an error, and no such connection is reused.
 */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { translate } from '../../src/store/knex/errors.ts';
import { openStore } from '../../src/store/knex/index.ts';
import { endWhenSilent, withoutDeadline } from '../../src/store/knex/postgres/deadline.ts';
import type { Store } from '../../src/store/store.ts';
import { openTestStore, type TestStore } from '../support/stores.ts';
import { startProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { failureOf, newCast, newGrant, present } from './samples.ts';

describe('a PostgreSQL that falls silent', () => {
  let opened: TestStore;
  let proxy: TcpProxy;
  let url: URL;
  before(async () => {
    opened = await openTestStore('postgres');
    url = new URL(opened.url);
    proxy = await startProxy(Number(url.port));
    url.port = String(proxy.port);
  });
  after(async () => {
    await proxy.close();
    await opened.dispose();
  });

  async function onStore(work: (store: Store) => Promise<void>): Promise<void> {
    const store = await openStore({ url: url.href });
    try {
      await work(store);
    } finally {
      proxy.recover();
      await store.close();
    }
  }

  /** The proxy cuts idle connections with the silent ones; the store hears of them in a later turn. */
  async function untilPingAnswers(store: Store): Promise<void> {
    for (let tries = 0; tries < 20; tries += 1) if ((await failureOf(store.ping())) === 'nothing') return;
    throw new Error('no connection to the database that answers again');
  }

  test('while connecting: unavailable, and the next connection works', async () => {
    await onStore(async (store) => {
      // The two connections that are open are held, so that every other call needs a new one.
      const { promise: held, resolve: release } = Promise.withResolvers<void>();
      const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const holding = begun.map(({ resolve }) =>
        store.transaction(() => {
          resolve();
          return held;
        }),
      );
      await Promise.all(begun.map(({ promise }) => promise));
      proxy.hang();
      const calls = Array.from({ length: 20 }, () => failureOf(store.ping()));
      assert.deepEqual(new Set(await Promise.all(calls)), new Set(['unavailable']));
      proxy.recover();
      release();
      await Promise.all(holding.map(failureOf));
      await untilPingAnswers(store);
    });
  });

  test('during statements, prepared ones and transactions: unavailable, and no connection is reused', async () => {
    await onStore(async (store) => {
      const cast = await newCast(store);
      const grant = await newGrant(store, cast);
      // A connection for each of the statements below; a ping asks two.
      await Promise.all(Array.from({ length: 4 }, () => store.accounts.list()));
      proxy.hang();
      const outcomes = await Promise.all([
        failureOf(store.ping()),
        failureOf(store.grants.consumeAll([present(grant)])),
        failureOf(store.transaction((tx) => tx.users.clearAttempts(grant.accountId, grant.userId))),
      ]);
      assert.deepEqual(outcomes, ['unavailable', 'unavailable', 'unavailable']);
      proxy.recover();
      await untilPingAnswers(store);
      const [outcome] = await store.grants.consumeAll([present(grant)]);
      assert.equal(outcome?.outcome, 'rotated');
    });
  });

  test('the deadline applies to one statement, and a migration has none', async () => {
    const connection = new pg.Client({ connectionString: opened.url });
    connection.on('error', () => {});
    await connection.connect();
    endWhenSilent(connection, 4000);
    for (let times = 0; times < 5; times += 1) await connection.query('select pg_sleep(0.9)');
    await withoutDeadline(connection, () => connection.query('select pg_sleep(4.5)'));
    const ended = connection.query('select pg_sleep(60)').catch(translate);
    assert.deepEqual(await failureOf(Promise.reject(await ended)), 'unavailable');
    assert.equal(
      await failureOf(connection.query('select 1').catch((error) => Promise.reject(translate(error)))),
      'unavailable',
    );
  });
});
