import type { Knex } from 'knex';
import { Failure } from '../../domain/failure.ts';
import type { CommitCheck, EventRecord, EventStore, NewEvent } from '../events.ts';
import * as rows from './audit-rows.ts';
import { noHead } from './chain.ts';
import type { HotVerbs } from './engine.ts';
import { lookupColumns } from './event-columns.ts';
import { listPage } from './list.ts';
import type { Listing } from './list-filters.ts';
import { filled, number } from './list-index.ts';

/** Every column has an index (0004_events, 0038_event_lookup), the id that of the key. */
const listing: Listing<EventRecord> = {
  table: 'events',
  id: 'id',
  columns: {
    id: filled('number', 'id'),
    created_at: filled('number', 'at'),
    action: filled('text', 'action'),
    actor_type: filled('text', 'actor_type'),
    actor_id: number('actor_id'),
    target_type: filled('text', 'target_type'),
    target_id: number('target_id'),
    ...lookupColumns,
  },
  read: rows.events.read,
};

/** What a transaction does at its end. */
export interface AtEnd {
  readonly events: NewEvent[];
  readonly checks: CommitCheck[];
  readonly tellers: (() => void)[];
}

function ofTransaction(atEnd: AtEnd | null): AtEnd {
  if (!atEnd) throw new Failure('internal', { reason: 'there is no transaction that could end' });
  return atEnd;
}

/** `atEnd` collects what a transaction does at its end; null outside one. */
export function eventVerbs(db: Knex, { appendEvents }: HotVerbs, atEnd: AtEnd | null): EventStore {
  const events = (accountId: number) => db('events').where('account_id', accountId);
  return {
    append: async (event) => {
      if (atEnd) atEnd.events.push(event);
      else await appendEvents(db, [event]);
    },
    beforeCommit: async (check) => {
      ofTransaction(atEnd).checks.push(check);
    },
    atLast: async (tell) => {
      ofTransaction(atEnd).tellers.push(tell);
    },
    findEnd: async (accountId) => {
      // One statement, so that both values are from the same moment while events are appended.
      const [end] = await db
        .select({
          last_id: db('event_heads').where('account_id', accountId).select('last_id'),
          last_hash: db('event_heads').where('account_id', accountId).select('last_hash'),
          greatest_id: events(accountId).max('id'),
        })
        .from(db.raw('(select 1 as one) as one'));
      return {
        lastId: Number(end.last_id ?? noHead.lastId),
        lastHash: end.last_hash ?? noHead.lastHash,
        greatestId: Number(end.greatest_id ?? noHead.lastId),
      };
    },
    listAfter: async (accountId, id, limit) => {
      const found = await events(accountId).where('id', '>', id).orderBy('id').limit(limit);
      return found.map(rows.events.read);
    },
    listBefore: async (accountId, id, limit) => {
      const newest = events(accountId).orderBy('id', 'desc').limit(limit);
      if (id !== null) newest.where('id', '<', id);
      return (await newest).map(rows.events.read);
    },
    page: (accountId, query) => listPage(db, listing, accountId, query),
  };
}
