/**
 * A number per account that changes with everything about the account that may be kept in memory: the account itself,
 * its hosts, keys and clients. Triggers change it, in the transaction of the change and whoever makes it.
 */
import type { Knex } from 'knex';

/** What is watched: a table, the changes to it that count, and its column that holds the account. */
interface Watched {
  readonly table: string;
  readonly account: string;
  /** A new client is no change here: that there is none was never kept until migration 0048. */
  readonly changes: readonly string[];
}

const watched: readonly Watched[] = [
  { table: 'accounts', account: 'id', changes: ['update of subdomain, name, base_url, settings, sealed_key'] },
  { table: 'account_hosts', account: 'account_id', changes: ['insert', 'update', 'delete'] },
  { table: 'signing_keys', account: 'account_id', changes: ['insert', 'update', 'delete'] },
  { table: 'clients', account: 'account_id', changes: ['update', 'delete'] },
];

/** `new` does not exist in a deletion, nor `old` in an insertion. */
function rowOf(change: string): 'new' | 'old' {
  return change === 'delete' ? 'old' : 'new';
}

function triggerName(table: string, change: string): string {
  return `${table}_${change.split(' ')[0]}_generation`;
}

async function upOnSqlite(db: Knex, { table, account, changes }: Watched): Promise<void> {
  for (const change of changes) {
    await db.raw(`create trigger ${triggerName(table, change)} after ${change} on ${table} begin
      update accounts set generation = generation + 1 where id = ${rowOf(change)}.${account}; end`);
  }
}

async function upOnPostgres(db: Knex, { table, account, changes }: Watched): Promise<void> {
  for (const change of changes) {
    const name = triggerName(table, change);
    await db.raw(`create function ${name}() returns trigger language plpgsql as $$ begin
      update accounts set generation = generation + 1 where id = ${rowOf(change)}.${account}; return null; end $$`);
    await db.raw(`create trigger ${name} after ${change} on ${table} for each row execute function ${name}()`);
  }
}

function isPostgres(db: Knex): boolean {
  return db.client.driverName === 'pg';
}

export async function up(db: Knex): Promise<void> {
  await db.raw(
    `alter table accounts add column generation ${isPostgres(db) ? 'bigint' : 'integer'} not null default 0`,
  );
  for (const one of watched) await (isPostgres(db) ? upOnPostgres(db, one) : upOnSqlite(db, one));
}

export async function down(db: Knex): Promise<void> {
  for (const { table, changes } of [...watched].reverse()) {
    for (const change of changes) {
      const name = triggerName(table, change);
      await db.raw(isPostgres(db) ? `drop trigger ${name} on ${table}` : `drop trigger ${name}`);
      if (isPostgres(db)) await db.raw(`drop function ${name}()`);
    }
  }
  await db.raw('alter table accounts drop column generation');
}
