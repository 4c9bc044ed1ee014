/** Appends events on SQLite: its write lock is the lock of every chain. */

import type Sqlite from 'better-sqlite3';
import type { NewEvent } from '../../events.ts';
import * as rows from '../audit-rows.ts';
import { accountsOf, type Head, link } from '../chain.ts';
import type { AppendEvents } from '../engine.ts';
import { withOneCommit } from './client.ts';
import { statement } from './statements.ts';

const columns = rows.events.columns.join(', ');

/** The texts of the statements. */
export const chainStatements = {
  head: 'select last_id, last_hash from event_heads where account_id = ?',
  append: `insert into events (${columns}) values (${rows.events.columns.map(() => '?').join(', ')})`,
  move: `insert into event_heads (account_id, last_id, last_hash) values (?, ?, ?)
    on conflict (account_id) do update set last_id = excluded.last_id, last_hash = excluded.last_hash`,
};

/** In the transaction that is open on the connection. */
export function appendIn(connection: Sqlite.Database, events: readonly NewEvent[]): void {
  const heads = new Map<number, Head>();
  for (const accountId of accountsOf(events)) {
    const row = statement(connection, chainStatements.head).get(accountId);
    if (row) heads.set(accountId, { lastId: Number(row['last_id']), lastHash: String(row['last_hash']) });
  }
  for (const event of link(heads, events)) {
    statement(connection, chainStatements.append).run(...Object.values(rows.events.write(event)));
  }
  for (const [accountId, { lastId, lastHash }] of heads) {
    statement(connection, chainStatements.move).run(accountId, lastId, lastHash);
  }
}

export const appendEvents: AppendEvents = (db, events) =>
  withOneCommit(db, (connection) => {
    appendIn(connection, events);
    return { result: undefined, wrote: true };
  });
