/**
 * Appends events on PostgreSQL while the ends of their chains are locked. These locks are taken last in a transaction
 * and in the order of the accounts, so that a holder waits for nothing but the next one.
 */

import type { Knex } from 'knex';
import type { NewEvent } from '../../events.ts';
import * as rows from '../audit-rows.ts';
import { accountsOf, type Head, link } from '../chain.ts';
import type { AppendEvents } from '../engine.ts';
import { run } from './statements.ts';

export const lockHeads = `select account_id, last_id, last_hash from event_heads where account_id = any($1::bigint[])
  order by account_id for update`;

/** If two processes begin a chain at once, the second waits for the first. */
const addHeads = `insert into event_heads (account_id, last_id, last_hash)
  select account_id, 0, '' from unnest($1::bigint[]) as t (account_id) order by account_id
  on conflict (account_id) do nothing`;

/** Moves the heads ($1–$3) and adds the events. */
const writeEvents = `
  with moved as (
    update event_heads h set last_id = n.last_id, last_hash = n.last_hash
    from unnest($1::bigint[], $2::bigint[], $3::text[]) as n (account_id, last_id, last_hash)
    where h.account_id = n.account_id
  )
  insert into events (${rows.events.columns.join(', ')})
  select * from unnest(${rows.events.columns.map((column, index) => `$${index + 4}::${typeOf(column)}[]`).join(', ')})`;

function typeOf(column: string): 'bigint' | 'text' {
  return /(^|_)(id|at)$/.test(column) && column !== 'request_id' ? 'bigint' : 'text';
}

async function lock(db: Knex, accounts: readonly number[]): Promise<Map<number, Head>> {
  const found = await run(db, 'lock-heads', lockHeads, [accounts]);
  return new Map(
    found.map((row) => [
      Number(row['account_id']),
      { lastId: Number(row['last_id']), lastHash: String(row['last_hash']) },
    ]),
  );
}

async function appendIn(db: Knex, events: readonly NewEvent[]): Promise<void> {
  const accounts = accountsOf(events);
  let heads = await lock(db, accounts);
  const missing = accounts.filter((accountId) => !heads.has(accountId));
  if (missing.length > 0) {
    await run(db, 'add-heads', addHeads, [missing]);
    heads = await lock(db, accounts);
  }
  const written = link(heads, events).map((event) => rows.events.write(event));
  const moved = [...heads];
  await run(db, 'write-events', writeEvents, [
    moved.map(([accountId]) => accountId),
    moved.map(([, { lastId }]) => lastId),
    moved.map(([, { lastHash }]) => lastHash),
    ...rows.events.columns.map((column) => written.map((row) => row[column])),
  ]);
}

export const appendEvents: AppendEvents = async (db, events) => {
  if (events.length === 0) return;
  await (db.isTransaction ? appendIn(db, events) : db.transaction((tx) => appendIn(tx, events)));
};
