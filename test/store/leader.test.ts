/**
 * A leader and a standby: the store works at the host that takes writes, finds another one that does, and says 503
 * meanwhile. Drill D10 loses leaders under load.
 */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { createApp } from '../../src/app.ts';
import { Failure } from '../../src/domain/failure.ts';
import { openStore, withDistribution, withoutWriters } from '../../src/store/knex/index.ts';
import type { Store } from '../../src/store/store.ts';
import { startRaw } from '../support/raw-http.ts';
import { type Replicas, startReplicas } from '../support/replicas.ts';
import { createTestAccount, testServices } from '../support/services.ts';
import { startProxy } from '../support/tcp-proxy.ts';
import { until, untilOpened } from '../support/until.ts';

/** More than a busy machine takes to open connections; and less, where a test waits until this has passed. */
const patience = 60_000;
const impatience = 4000;

describe('hosts of PostgreSQL', () => {
  let replicas: Replicas;
  let leader = '';
  let standby = '';
  const lines: string[] = [];
  const open = (url: string, acquireTimeoutMilliseconds: number) =>
    openStore({ url, acquireTimeoutMilliseconds, log: (line) => void lines.push(line.split('\n', 1)[0] ?? '') });
  before(async () => {
    replicas = await startReplicas(2, { synchronous: false });
    [leader = '', standby = ''] = replicas.urls;
    await using(leader, async (store) => void (await store.migrate()));
    await replicas.allFollow();
  });
  after(() => replicas.stop());

  async function using(url: string, work: (store: Store) => Promise<void>, milliseconds = patience): Promise<void> {
    const store = await untilOpened(() => open(url, milliseconds));
    try {
      await work(store);
    } finally {
      await store.close();
    }
  }

  test('the one that takes writes is used, wherever it stands in the URL', async () => {
    assert.ok(replicas.url.indexOf(new URL(standby).port) < replicas.url.indexOf(new URL(leader).port));
    await using(replicas.url, async (store) => {
      await store.facts.replace('first', '1');
      await until(async () => (await connectionsTo(standby)) === 0);
      assert.ok((await connectionsTo(leader)) > 0);
      // Who keeps others from writing asks the same host.
      await assert.rejects(
        withoutWriters(replicas.url, async () => {}),
        /the database is in use/,
      );
      assert.equal((await withDistribution(replicas.url, ({ status }) => status())).citus, null);
    });
  });

  test('a host that is silent holds nothing up', async () => {
    const proxy = await startProxy(Number(new URL(standby).port));
    proxy.hang();
    const { username, password, host, pathname } = new URL(leader);
    try {
      await using(`postgres://${username}:${password}@127.0.0.1:${proxy.port},${host}${pathname}`, (store) =>
        store.facts.replace('silent', '1'),
      );
    } finally {
      await proxy.close();
    }
  });

  test('a standby alone is read, refuses writes with 503, and loses the connection that met it', async () => {
    await using(standby, async (store) => {
      assert.equal(await store.facts.read('first'), '1');
      const before = await pidsAt(standby);
      await until(async () => {
        const failure: unknown = await store.facts.replace('first', '2').catch((error: unknown) => error);
        assert.ok(failure instanceof Failure && failure.code === 'unavailable', String(failure));
        assert.equal(await store.facts.read('first'), '1');
        return (await pidsAt(standby)).every((pid) => !before.includes(pid));
      });
    });
  });

  test('where writes are asked for, a standby alone is none', async () => {
    const url = `${standby}?target_session_attrs=read-write`;
    const { port } = new URL(standby);
    await assert.rejects(open(url, 10_000), (error) => {
      assert.ok(error instanceof Failure && error.code === 'unavailable', String(error));
      assert.equal(error.detail.reason, `no host of the database takes writes (127.0.0.1:${port}: read-only)`);
      return true;
    });
  });

  test('a leader that turns read-only: 503 with Retry-After, no connection stays, well again by itself', async () => {
    const work = async (store: Store) => {
      const services = await testServices(store);
      const account = await untilOpened(() => createTestAccount(services, { settings: { registration: 'open' } }));
      const server = await startRaw(createApp(services));
      const host = `Host: ${new URL(account.baseUrl).host}`;
      const body = JSON.stringify({ client_name: 'App', redirect_uris: ['https://app.example.com/callback'] });
      const head = ['POST /oauth2/register HTTP/1.1', host, 'Content-Type: application/json'];
      const register = () => server.send([...head, `Content-Length: ${body.length}`], body);
      try {
        await until(async () => (await register()).status === 201);
        await openConnections(store, 6);
        const before = await pidsAt(leader);
        assert.ok(before.length >= 6, String(before));
        await administer(leader, 'alter system set default_transaction_read_only = on');
        await administer(leader, 'select pg_reload_conf()');
        // The server tells its sessions one by one.
        const refused = { status: 0, retryAfter: '' };
        await until(async () => {
          const { status, headers } = await register();
          Object.assign(refused, { status, retryAfter: headers['retry-after'] });
          return status !== 201;
        });
        assert.deepEqual(refused, { status: 503, retryAfter: '1' });
        // One refusal is enough for all connections, those for lists too.
        for (const failure of await Promise.all(before.map(() => store.facts.read('first').catch(String)))) {
          assert.match(String(failure), /unavailable/);
        }
        assert.equal((await server.send(['GET /readyz HTTP/1.1', host])).status, 503);
        await until(async () => (await pidsAt(leader)).every((pid) => !before.includes(pid)));
        await administer(leader, 'alter system reset default_transaction_read_only');
        await administer(leader, 'select pg_reload_conf()');
        await until(async () => (await register()).status === 201);
      } finally {
        await server.close();
        await services.hooks.close();
      }
    };
    await using(replicas.url, work, impatience);
  });

  test('a leader that is lost: unavailable, until another host takes writes', async () => {
    const work = async (store: Store) => {
      await untilOpened(() => store.facts.replace('kept', '1'));
      await replicas.allFollow();
      lines.length = 0;
      await replicas.lose();
      await assert.rejects(store.facts.replace('kept', '2'), { code: 'unavailable' });
      await replicas.promote();
      await until(() =>
        store.facts.replace('kept', '3').then(
          () => true,
          () => false,
        ),
      );
      assert.equal(await untilOpened(() => store.facts.read('kept')), '3');
      const { port } = new URL(standby);
      assert.ok(lines.includes(`the database takes writes at 127.0.0.1:${port} now`), lines.join('\n'));
    };
    await using(replicas.url, work, impatience);
  });

  /** Has a store open so many, each held until all are there; one may take longer to open than the store waits. */
  async function openConnections(store: Store, count: number): Promise<void> {
    for (let holding = 0; holding < count; ) {
      const { promise: held, resolve: release } = Promise.withResolvers<void>();
      holding = 0;
      let failed = 0;
      const all = Array.from({ length: count }, () =>
        store
          .transaction(async (tx) => {
            await tx.facts.read('first');
            holding += 1;
            await held;
          })
          .catch(() => {
            failed += 1;
          }),
      );
      await until(() => holding + failed === count);
      release();
      await Promise.all(all);
    }
  }
});

async function administer(url: string, statement: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query(statement);
  } finally {
    await client.end();
  }
}

/** The sessions of stores at one host. */
async function pidsAt(url: string): Promise<number[]> {
  const { rows } = await administer(url, "select pid from pg_stat_activity where application_name = 'gatehouse'");
  return rows.map(({ pid }) => pid);
}

async function connectionsTo(url: string): Promise<number> {
  return (await pidsAt(url)).length;
}
