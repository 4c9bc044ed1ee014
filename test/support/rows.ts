/** Every row of a test database, read past the store: for tests of what is kept and of what must not be. */

import Sqlite from 'better-sqlite3';
import pg from 'pg';
import type { Store } from '../../src/store/store.ts';

/** The rows of each table by its name. */
export type Rows = Readonly<Record<string, readonly unknown[]>>;

/** Reads the whole database at the URL of a `TestStore`. */
export function readRows(url: string): Promise<Rows> {
  return url.startsWith('sqlite:') ? readSqlite(url.slice('sqlite:'.length)) : readPostgres(url);
}

/** The rows of one table, without reading the others. */
export function readTable(url: string, table: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  return ask(url, `select * from "${table}"`);
}

/** All that is stored, as one text to search in. */
export async function dump(url: string): Promise<string> {
  return JSON.stringify(await readRows(url));
}

async function readSqlite(file: string): Promise<Rows> {
  const database = new Sqlite(file, { readonly: true });
  try {
    const tables = database.prepare("select name from sqlite_master where type = 'table'").pluck().all() as string[];
    return Object.fromEntries(tables.map((table) => [table, database.prepare(`select * from "${table}"`).all()]));
  } finally {
    database.close();
  }
}

async function readPostgres(url: string): Promise<Rows> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query(
      "select table_name from information_schema.tables where table_schema = 'public'",
    );
    const read: Record<string, readonly unknown[]> = {};
    for (const { table_name: table } of rows) read[table] = (await client.query(`select * from "${table}"`)).rows;
    return read;
  } finally {
    await client.end();
  }
}

/** The rows of a question that both databases understand. */
export async function ask(url: string, question: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  if (url.startsWith('sqlite:')) {
    const database = new Sqlite(url.slice('sqlite:'.length), { readonly: true });
    try {
      return database.prepare(question).all() as Record<string, unknown>[];
    } finally {
      database.close();
    }
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(question)).rows;
  } finally {
    await client.end();
  }
}

/** Runs a statement directly on the database, bypassing the store. */
export async function execute(url: string, statement: string): Promise<void> {
  if (url.startsWith('sqlite:')) {
    const database = new Sqlite(url.slice('sqlite:'.length));
    try {
      database.exec(statement);
    } finally {
      database.close();
    }
    return;
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

interface Analyzed {
  readonly store: Pick<Store, 'kind'>;
  readonly url: string;
}

/** PostgreSQL does so by itself within a minute; until then it takes the tables for empty ones. */
export async function analyze({ store, url }: Analyzed): Promise<void> {
  if (store.kind === 'postgres') await execute(url, 'analyze');
}

/** How many rows a query finds. */
export async function countRows(url: string, query: string): Promise<number> {
  return (await ask(url, query)).length;
}
