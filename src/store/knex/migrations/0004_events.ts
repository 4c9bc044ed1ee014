/**
 * The trail of what happened, chained account by account, and the counts of what is not told one by one. Events can be
 * added only: triggers refuse the rest, whoever asks.
 */
import type { Knex } from 'knex';
import { expressionOf, filled, type ListColumn, number } from '../list-index.ts';
import { isPostgres } from './is_postgres.ts';

/** `at`, ids and counts are numbers of 64 bits; a detail is JSON text. */
function tables(db: Knex): Record<string, string> {
  const number = isPostgres(db) ? 'bigint' : 'integer';
  const end = isPostgres(db) ? ')' : ') strict';
  const keyEnd = isPostgres(db) ? ')' : ') strict, without rowid';
  const hotEnd = isPostgres(db) ? ') with (fillfactor = 70)' : keyEnd;
  const ofAccount = `account_id ${number} not null references accounts (id)`;
  return {
    events: `(${ofAccount}, id ${number} not null, at ${number} not null, action text not null, outcome text not null,
      actor_type text not null, actor_id ${number}, target_type text not null, target_id ${number}, source text,
      request_id text, detail text not null, hash text not null, primary key (account_id, id) ${end}`,
    event_heads: `(${ofAccount}, last_id ${number} not null, last_hash text not null, primary key (account_id) ${hotEnd}`,
    daily_counts: `(${ofAccount}, day text not null, kind text not null, subject_id ${number} not null,
      count ${number} not null, primary key (account_id, day, kind, subject_id) ${keyEnd}`,
  };
}

/** What is looked for; behind it the order of the list, so that the newest of a kind stand together. */
const indexes: Readonly<Record<string, readonly ListColumn[]>> = {
  at: [],
  action: [filled('text', 'action')],
  actor: [filled('text', 'actor_type'), number('actor_id')],
  target: [filled('text', 'target_type'), number('target_id')],
};

function indexed(db: Knex, column: ListColumn): string {
  const expression = expressionOf(db, column);
  return isPostgres(db) ? `(${expression})` : expression;
}

async function refuseChanges(db: Knex): Promise<void> {
  if (!isPostgres(db)) {
    for (const change of ['update', 'delete']) {
      await db.raw(`create trigger events_refuse_${change} before ${change} on events begin
        select raise(abort, 'events are append-only'); end`);
    }
    return;
  }
  await db.raw(`create function events_refuse_change() returns trigger language plpgsql as $$ begin
    raise exception 'events are append-only'; end $$`);
  for (const [change, each] of [
    ['update or delete', 'row'],
    ['truncate', 'statement'],
  ]) {
    await db.raw(`create trigger events_refuse_${each}s before ${change} on events
      for each ${each} execute function events_refuse_change()`);
  }
}

export async function up(db: Knex): Promise<void> {
  for (const [name, definition] of Object.entries(tables(db))) await db.raw(`create table ${name} ${definition}`);
  for (const [name, columns] of Object.entries(indexes)) {
    const wanted = columns.map((column) => `${indexed(db, column)}, `).join('');
    await db.raw(`create index events_${name}_list on events (account_id, ${wanted}at, id)`);
  }
  await refuseChanges(db);
}

export async function down(db: Knex): Promise<void> {
  for (const name of Object.keys(tables(db)).reverse()) await db.raw(`drop table ${name}`);
  if (isPostgres(db)) await db.raw('drop function events_refuse_change()');
}
