/** PostgreSQL as one end of a copy of a whole database. */

import type { Knex } from 'knex';
import type pg from 'pg';
import { type CopyEnd, type CopyRow, type CopyTable, type CopyValue, unfinishedCopy } from '../../copying.ts';
import { tablesOf } from '../schema/tables.ts';
import { withoutDeadline } from './deadline.ts';
import { describeSchema } from './schema.ts';
import type { Settings } from './settings.ts';
import { changeSettings } from './transaction-pooling.ts';

const unlimited: Settings = { statementTimeout: 0, lockTimeout: 0, idleInTransactionTimeout: 0, isReadOnly: false };

const listOf = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ');
const typeOf = { integer: 'bigint', text: 'text' } as const;

/** As text: the driver's own numbers end at 2^53. */
const asText = { getTypeParser: () => (text: string) => text } as unknown as pg.CustomTypesConfig;

async function readRows(
  connection: pg.Client,
  { name, columns, key }: CopyTable,
  after: CopyRow | null,
  limit: number,
): Promise<CopyRow[]> {
  const names = listOf(key);
  const further = after === null ? '' : `where (${names}) > (${key.map((_, place) => `$${place + 1}`).join(', ')})`;
  const text = `select ${listOf(columns.map((one) => one.name))} from "${name}" ${further} order by ${names} limit ${limit}`;
  const values = (after ?? []).map((value) => (typeof value === 'bigint' ? String(value) : value));
  const { rows } = await connection.query<(string | null)[]>({ text, values, rowMode: 'array', types: asText });
  const isNumber = columns.map(({ holds }) => holds === 'integer');
  return rows.map((row) =>
    row.map((value, place): CopyValue => (value !== null && isNumber[place] ? BigInt(value) : value)),
  );
}

async function insert(connection: pg.Client, table: CopyTable, rows: readonly CopyRow[]): Promise<void> {
  const { name, columns, hasTriggers } = table;
  // For others the table is locked until they are on again.
  if (hasTriggers) await connection.query(`alter table "${name}" disable trigger user`);
  const lists = columns.map(({ holds }, place) => `$${place + 1}::${typeOf[holds]}[]`);
  const values = columns.map((_, place) =>
    rows.map((row) => (typeof row[place] === 'bigint' ? String(row[place]) : row[place])),
  );
  await connection.query({
    text: `insert into "${name}" (${listOf(columns.map((one) => one.name))}) overriding system value
      select * from unnest(${lists.join(', ')})`,
    values,
  });
  if (hasTriggers) await connection.query(`alter table "${name}" enable trigger user`);
}

/** Commits all of `work` or nothing. */
async function inTransaction(connection: pg.Client, work: () => Promise<void>): Promise<void> {
  await connection.query('begin');
  try {
    await work();
    await connection.query('commit');
  } catch (error) {
    await connection.query('rollback');
    throw error;
  }
}

/** Where the numbers of a table come from, as text for a statement. */
async function sequenceOf(connection: pg.Client, { name, key }: CopyTable): Promise<string> {
  const text = 'select coalesce(pg_get_serial_sequence($1, $2), $3) as sequence';
  const { rows } = await connection.query<{ sequence: string }>(text, [`"${name}"`, key.at(-1), '']);
  return rows[0]?.sequence ?? '';
}

async function readNumber(connection: pg.Client, table: CopyTable): Promise<bigint> {
  const text = `select case when is_called then last_value else 0 end::text as number from ${await sequenceOf(connection, table)}`;
  const { rows } = await connection.query<{ number: string }>(text);
  return BigInt(rows[0]?.number ?? 0);
}

function endOn(connection: pg.Client, tables: readonly CopyTable[]): CopyEnd {
  return {
    tables,
    count: async ({ name }) => {
      const { rows } = await connection.query<{ rows_to_copy: number }>(
        `select count(*) as rows_to_copy from "${name}"`,
      );
      return Number(rows[0]?.rows_to_copy);
    },
    read: (table, after, limit) => readRows(connection, table, after, limit),
    write: (table, rows, note) =>
      inTransaction(connection, async () => {
        await insert(connection, table, rows);
        await connection.query(
          'insert into facts (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value',
          [unfinishedCopy, note],
        );
      }),
    readNumber: (table) => readNumber(connection, table),
    finish: (numbers) =>
      inTransaction(connection, async () => {
        for (const [table, number] of numbers) {
          const sequence = await sequenceOf(connection, table);
          const [value, called] = number > 0n ? [String(number), true] : ['1', false];
          await connection.query('select setval($1, $2, $3)', [sequence, value, called]);
        }
        await connection.query('delete from facts where name = $1', [unfinishedCopy]);
        for (const { name } of tables) await connection.query(`analyze "${name}"`);
      }),
  };
}

/** Lends `work` an end on a connection of its own, without time limits. */
export async function withCopyEnd<Result>(db: Knex, work: (end: CopyEnd) => Promise<Result>): Promise<Result> {
  const tables = tablesOf(await describeSchema(db));
  const client: Knex.Client = db.client;
  const connection: pg.Client = await client.acquireConnection();
  try {
    return await withoutDeadline(connection, async () => {
      await changeSettings(connection, unlimited);
      return work(endOn(connection, tables));
    });
  } finally {
    // Its settings are not for anybody else.
    await client.destroyRawConnection(connection);
    await client.releaseConnection(connection);
  }
}
