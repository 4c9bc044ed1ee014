/**
 * Appends events on PostgreSQL while the ends of their chains are locked. These locks are taken last in a transaction
 * and in the order of the accounts, so that a holder waits for nothing but the next one;
 * the checks of `beforeCommit` come behind them, and only read.
 */

import type { Knex } from 'knex';
import type { NewEvent } from '../../events.ts';
import * as rows from '../audit-rows.ts';
import { byAccount } from '../by-account.ts';
import { type Head, link, noHead } from '../chain.ts';
import type { AppendEvents } from '../engine.ts';
import { inTransaction } from '../transact.ts';
import { run } from './statements.ts';

export const lockHead = 'select last_id, last_hash from event_heads where account_id = $1 for update';

/** If two processes begin a chain at once, the second waits for the first. */
const addHead = `insert into event_heads (account_id, last_id, last_hash) values ($1, 0, '')
  on conflict (account_id) do nothing`;

/** The columns of an event without its account. */
const columns = rows.events.columns.filter((column) => column !== 'account_id');

/** Moves the head of the account $1 to $2, $3 and adds the events. */
const writeEvents = `
  with moved as (update event_heads set last_id = $2, last_hash = $3 where account_id = $1)
  insert into events (account_id, ${columns.join(', ')})
  select $1, t.* from unnest(${columns.map((column, index) => `$${index + 4}::${typeOf(column)}[]`).join(', ')}) as t`;

function typeOf(column: string): 'bigint' | 'text' {
  return /(^|_)(id|at)$/.test(column) && column !== 'request_id' ? 'bigint' : 'text';
}

async function lock(db: Knex, accountId: number): Promise<Head | null> {
  const [row] = await run(db, 'lock-head', lockHead, [accountId]);
  return row ? { lastId: Number(row['last_id']), lastHash: String(row['last_hash']) } : null;
}

async function appendOfAccount(db: Knex, accountId: number, events: readonly NewEvent[]): Promise<void> {
  let head = await lock(db, accountId);
  if (!head) {
    await run(db, 'add-head', addHead, [accountId]);
    head = await lock(db, accountId);
  }
  const heads = new Map([[accountId, head ?? noHead]]);
  const written = link(heads, events).map((event) => rows.events.write(event));
  const moved = heads.get(accountId);
  await run(db, 'write-events', writeEvents, [
    accountId,
    moved?.lastId,
    moved?.lastHash,
    ...columns.map((column) => written.map((row) => row[column])),
  ]);
}

async function appendIn(db: Knex, events: readonly NewEvent[]): Promise<void> {
  for (const [accountId, own] of byAccount(events)) await appendOfAccount(db, accountId, own);
}

export const appendEvents: AppendEvents = async (db, events) => {
  if (events.length === 0) return;
  await inTransaction(db, (tx) => appendIn(tx, events));
};
