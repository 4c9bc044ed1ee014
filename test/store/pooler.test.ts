/**
 * Poolers before PostgreSQL: one that keeps sessions does, any other is found and said, and nothing is answered 500.
 */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { createApp } from '../../src/app.ts';
import { Failure } from '../../src/domain/failure.ts';
import { openStore } from '../../src/store/knex/index.ts';
import { type Pooler, type PoolerOptions, startPooler } from '../support/pooler.ts';
import { startRaw } from '../support/raw-http.ts';
import { createTestAccount, testServices } from '../support/services.ts';
import { openPatientStore, openTestStore, type TestStore } from '../support/stores.ts';
import { until } from '../support/until.ts';
import { newCast, newGrant, present } from './samples.ts';

const transaction: PoolerOptions = { mode: 'transaction' };
const lost = /^a pooler in front of the database does not keep sessions: .*pool_mode/;

describe('a pooler in front of PostgreSQL', () => {
  let opened: TestStore;
  before(async () => {
    opened = await openTestStore('postgres');
  });
  after(() => opened.dispose());

  async function behind(options: PoolerOptions, work: (pooler: Pooler) => Promise<void>): Promise<void> {
    const pooler = await startPooler(opened.url, options);
    try {
      await work(pooler);
    } finally {
      await pooler.close();
    }
  }

  test('that preserves sessions works like a direct connection', async () => {
    await behind({ mode: 'session' }, async ({ url }) => {
      const store = await openPatientStore(url);
      const grant = await newGrant(store, await newCast(store));
      for (let times = 0; times < 3; times += 1) await store.ping();
      const [outcome] = await store.grants.consumeAll([present(grant)]);
      assert.equal(outcome?.outcome, 'rotated');
      await store.close();
    });
  });

  for (const next of ['last', 'first'] as const) {
    for (const size of [1, 2, 3, 20]) {
      test(`in transaction mode, ${size} connections, the ${next} one next: the store does not open`, async () => {
        await behind({ ...transaction, size, next }, async (pooler) => {
          // Others have used it before, so that there is more than one to choose from.
          await warm(pooler, size);
          await assert.rejects(openStore({ url: pooler.url }), { code: 'unavailable', message: lost });
        });
      });
    }
  }

  test('that changes while the store is open makes it not ready, and failures are unavailable', async () => {
    await behind({ mode: 'session' }, async (pooler) => {
      const store = await openStore({ url: pooler.url, acquireTimeoutMilliseconds: 60_000 });
      try {
        const cast = await newCast(store);
        const grants = await Promise.all(Array.from({ length: 12 }, () => newGrant(store, cast)));
        // Every connection has prepared it.
        const find = () => store.grants.findAccessToken(cast.accountId, 1);
        for (let times = 0; times < 3; times += 1) await Promise.all(Array.from({ length: 40 }, find));
        pooler.giveTransactions();
        const failures = await Promise.all(
          grants.flatMap((grant) => [
            failureOf(store.grants.consumeAll([present(grant)])),
            failureOf(find()),
            failureOf(store.transaction(async (tx) => tx.users.find(grant.accountId, grant.userId))),
          ]),
        );
        assert.ok(failures.some((failure) => failure !== null));
        for (const failure of failures.filter((one) => one !== null)) {
          assert.ok(failure instanceof Failure, String(failure));
          assert.equal(failure.code, 'unavailable');
          assert.match(failure.detail.reason ?? '', /does not keep sessions$/);
        }
        await assert.rejects(store.ping(), { code: 'unavailable', message: lost });
      } finally {
        await store.close();
      }
    });
  });

  test('that changes under a server: /readyz says why, and requests get 503, never 500', async () => {
    await behind({ mode: 'session' }, async (pooler) => {
      const store = await openStore({ url: pooler.url, acquireTimeoutMilliseconds: 60_000 });
      const services = await testServices(store);
      const account = await createTestAccount(services);
      const server = await startRaw(createApp(services));
      const host = `Host: ${new URL(account.baseUrl).host}`;
      const ask = () =>
        server.send(['GET /oauth2/userinfo HTTP/1.1', host, `Authorization: Bearer at_1_${'A'.repeat(43)}`]);
      const askMany = async () =>
        new Set((await Promise.all(Array.from({ length: 40 }, ask))).map((one) => one.status));
      try {
        assert.deepEqual(await askMany(), new Set([401]));
        // The connections may still be busy with the requests.
        await until(async () => (await server.send(['GET /readyz HTTP/1.1', host])).status === 200);
        pooler.giveTransactions();
        const statuses = await askMany();
        assert.ok(statuses.has(503), [...statuses].join());
        assert.ok(
          [...statuses].every((status) => [401, 503].includes(status)),
          [...statuses].join(),
        );
        const reasons = services.lines.flatMap(({ reason }) => reason ?? []);
        assert.ok(reasons.some((reason) => /does not keep sessions$/.test(String(reason))));
        const { status, body } = await server.send(['GET /readyz HTTP/1.1', host]);
        const store = 'a pooler in front of the database does not keep sessions';
        assert.deepEqual([status, body.checks], [503, { serving: 'ok', store, migrations: 'unknown' }]);
      } finally {
        await server.close();
        await services.hooks.close();
        await store.close();
      }
    });
  });
});

/** So many server connections, each of which has been used. */
async function warm(pooler: Pooler, size: number): Promise<void> {
  const clients = Array.from({ length: size }, () => new pg.Client({ connectionString: pooler.url }));
  for (const client of clients) await client.connect();
  await Promise.all(clients.map((client) => client.query('begin')));
  await Promise.all(clients.map((client) => client.query('commit')));
  assert.equal(pooler.servers(), size);
  await Promise.all(clients.map((client) => client.end()));
}

function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => null,
    (error: unknown) => error,
  );
}
