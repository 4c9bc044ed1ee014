/** All rows of a database but the generations, table by table, for comparing two databases again and again. */

import Sqlite from 'better-sqlite3';
import pg from 'pg';

export interface Dump {
  /** The rows of each table as one text, in an order of their own. */
  read(): Promise<Readonly<Record<string, string>>>;
  close(): Promise<void>;
}

const left = /^(sqlite_|migrations)/;

function openSqlite(file: string): Dump {
  const database = new Sqlite(file, { readonly: true });
  const names = database.prepare<[], string>("select name from sqlite_master where type = 'table'").pluck().all();
  const rowsOf = names
    .filter((name) => !left.test(name))
    .map((name) => [name, database.prepare(`select * from "${name}"`)] as const);
  return {
    read: async () =>
      Object.fromEntries(
        rowsOf.map(([name, statement]) => {
          const rows = statement.all() as Record<string, unknown>[];
          const texts = rows.map((row) => JSON.stringify(name === 'accounts' ? { ...row, generation: 0 } : row));
          return [name, texts.toSorted().join('\n')];
        }),
      ),
    close: async () => void database.close(),
  };
}

async function openPostgres(url: string): Promise<Dump> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    "select table_name as name from information_schema.tables where table_schema = 'public' order by 1",
  );
  const parts = rows
    .filter(({ name }) => !left.test(name))
    .map(({ name }) => {
      const row = name === 'accounts' ? "(to_jsonb(t) - 'generation')::text" : 'to_jsonb(t)::text';
      return `select '${name}' as name, coalesce(string_agg(${row}, chr(10) order by ${row}), '') as rows from "${name}" t`;
    });
  return {
    read: async () => {
      const found = await client.query<{ name: string; rows: string }>(parts.join(' union all '));
      return Object.fromEntries(found.rows.map((part) => [part.name, part.rows]));
    },
    close: () => client.end(),
  };
}

export function openDump(url: string): Promise<Dump> | Dump {
  return url.startsWith('sqlite:') ? openSqlite(url.slice('sqlite:'.length)) : openPostgres(url);
}
