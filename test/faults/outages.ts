/** Ways in which a database fails, each switched on and off from outside the service. */

import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { startPostgres } from '../support/postgres.ts';
import { startProxy } from '../support/tcp-proxy.ts';

export interface Outage {
  readonly name: string;
  /** Nothing at all can be asked of the database: `/readyz` must say so. */
  readonly total: boolean;
  begin(): Promise<void>;
  end(): Promise<void>;
}

export interface FailingDatabase {
  /** Setting of the service that is to suffer. */
  readonly url: string;
  readonly outages: readonly Outage[];
  dispose(): Promise<void>;
}

/** Answered in eight seconds, where the service gives up after six. */
const slowMilliseconds = 4000;
const role = 'gatehouse';

/** A PostgreSQL of its own behind a proxy. */
export async function failingPostgres(): Promise<FailingDatabase> {
  const server = startPostgres();
  const administrator = new URL(server.url);
  const proxy = await startProxy(Number(administrator.port));
  await ask(`create role ${role} login password '${administrator.password}'`);
  await ask(`create database ${role} owner ${role}`);
  const direct = new URL(server.url);
  direct.pathname = `/${role}`;
  const url = new URL(direct);
  url.username = role;
  url.port = String(proxy.port);

  async function ask(...statements: string[]): Promise<void> {
    await withClient(server.url, async (client) => {
      for (const statement of statements) await client.query(statement);
    });
  }
  const endSessions = `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}'`;
  const holder = { client: null as pg.Client | null };

  return {
    url: url.href,
    outages: [
      { name: 'gone', total: true, begin: server.halt, end: server.resume },
      { name: 'silent', total: true, begin: async () => proxy.hang(), end: async () => proxy.recover() },
      { name: 'slow', total: true, begin: async () => proxy.delay(slowMilliseconds), end: async () => proxy.recover() },
      {
        name: 'no connection left',
        total: true,
        begin: () => ask(`alter role ${role} connection limit 0`, endSessions),
        end: () => ask(`alter role ${role} connection limit -1`),
      },
      {
        name: 'tables locked',
        total: false,
        begin: async () => {
          holder.client = await connected(direct.href);
          await holder.client.query('begin; lock table users, grants in access exclusive mode');
        },
        end: async () => holder.client?.end(),
      },
      {
        name: 'read-only',
        total: false,
        begin: () => ask(`alter role ${role} set default_transaction_read_only to on`, endSessions),
        end: () => ask(`alter role ${role} reset default_transaction_read_only`, endSessions),
      },
      {
        name: 'a table missing',
        total: false,
        begin: () => withClient(direct.href, (client) => client.query('alter table grants rename to away')),
        end: () => withClient(direct.href, (client) => client.query('alter table away rename to grants')),
      },
    ],
    dispose: async () => {
      await proxy.close();
      await server.stop();
    },
  };
}

/** The SQLite file of an installation, which exists when an outage begins. */
export function failingSqlite(file: string): Pick<FailingDatabase, 'outages'> {
  const holder = { db: null as Sqlite.Database | null };
  const execute = (statement: string) => {
    const db = new Sqlite(file, { timeout: 10_000 });
    db.exec(statement);
    db.close();
  };
  return {
    outages: [
      {
        name: 'locked by another writer',
        total: false,
        begin: async () => {
          holder.db = new Sqlite(file, { timeout: 10_000 });
          holder.db.exec('begin immediate');
        },
        end: async () => void holder.db?.close(),
      },
      {
        name: 'a table missing',
        total: false,
        begin: async () => execute('alter table grants rename to away'),
        end: async () => execute('alter table away rename to grants'),
      },
    ],
  };
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  // It may be ended by an outage.
  client.on('error', () => {});
  await client.connect();
  return client;
}

async function withClient(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = await connected(url);
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
