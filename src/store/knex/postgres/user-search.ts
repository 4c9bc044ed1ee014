/**
 * The index of the parts of users' texts: GIN over trigrams (`pg_trgm`), which PostgreSQL keeps like any other and
 * takes for `like` where it leads to few. It is no part of a migration: making it takes minutes for millions of users, while
 * others write, and the extension may be missing or not be allowed. Without it, lists read all users of an account.
 */

import type { Knex } from 'knex';
import type pg from 'pg';
import { minute } from '../../../domain/durations.ts';
import type { IndexedSlice, SearchStanding } from '../../search.ts';
import { expressionOf, text } from '../list-index.ts';
import { searchedTexts } from '../searched-texts.ts';
import { withoutDeadline } from './deadline.ts';
import type { Settings } from './settings.ts';
import { changeSettings } from './transaction-pooling.ts';

const name = 'users_search_parts';

/** Fewer users are read through as quickly. */
const leastUsers = 5_000;

/** It waits for transactions under way, behind which others must not wait for long. */
const building: Settings = {
  statementTimeout: 0,
  lockTimeout: minute,
  idleInTransactionTimeout: 0,
  isReadOnly: false,
};

/** Short of the default, since a search reads one by one what has not been sorted in. */
const unsortedKilobytes = 512;

const standing = `select (select reltuples from pg_class where oid = to_regclass('users')) >= ${leastUsers} as large,
  (select indisvalid from pg_index where indexrelid = to_regclass('${name}')) as valid,
  exists (select 1 from pg_stat_progress_create_index where index_relid = to_regclass('${name}')) as building`;

interface Found {
  /** By the server's estimate; null where it has none. */
  readonly large: boolean | null;
  /** Null where there is no index. */
  readonly valid: boolean | null;
  readonly building: boolean;
}

async function look(connection: Pick<pg.Client, 'query'>): Promise<Found> {
  const { rows } = await connection.query<Found>(standing);
  return rows[0] as Found; // It answers one row.
}

async function make(connection: pg.Client, db: Knex, { valid }: Found): Promise<void> {
  const columns = searchedTexts.map((column) => `(${expressionOf(db, text(column))}) gin_trgm_ops`);
  // Of a process that ended while it made it.
  if (valid === false) await connection.query(`drop index concurrently if exists ${name}`);
  await connection.query('create extension if not exists pg_trgm');
  await connection.query(`create index concurrently if not exists ${name} on users using gin (${columns.join(', ')})
    with (gin_pending_list_limit = ${unsortedKilobytes})`);
  // Of what it is computed from, the planner knows nothing yet.
  await connection.query('analyze users');
}

/** When the next look of this process is due; never again once the index is there or was refused. */
const looksAt = new WeakMap<Knex.Client, number>();
const refusals = new WeakMap<Knex.Client, string>();

/** Makes the index if it is missing. What the server refuses is tried again by the next process that starts. */
export async function makeSearchIndex(db: Knex, signal: AbortSignal): Promise<IndexedSlice> {
  const nothing: IndexedSlice = { indexed: 0, isLast: true };
  const client: Knex.Client = db.client;
  if (performance.now() < (looksAt.get(client) ?? 0)) return nothing;
  const connection: pg.Client = await client.acquireConnection();
  const giveUp = () => void connection.end();
  let isChanged = false;
  try {
    const found = await look(connection);
    looksAt.set(client, found.valid === true ? Number.POSITIVE_INFINITY : performance.now() + minute);
    if (found.valid === true || found.building || found.large !== true) return nothing;
    isChanged = true;
    signal.addEventListener('abort', giveUp);
    await withoutDeadline(connection, async () => {
      await changeSettings(connection, building);
      await make(connection, db, found);
    });
  } catch (error) {
    if (!isChanged) throw error;
    looksAt.set(client, Number.POSITIVE_INFINITY);
    refusals.set(client, error instanceof Error ? error.message : String(error));
  } finally {
    signal.removeEventListener('abort', giveUp);
    // Its settings are not for anybody else.
    if (isChanged) await client.destroyRawConnection(connection);
    await client.releaseConnection(connection);
  }
  return nothing;
}

function stateOf({ large, valid, building: isBuilding }: Found): SearchStanding['state'] {
  if (valid === true) return 'ready';
  if (isBuilding) return 'building';
  return large === true ? 'missing' : 'unneeded';
}

export async function findSearchStanding(db: Knex): Promise<SearchStanding> {
  const client: Knex.Client = db.client;
  const connection: pg.Client = await client.acquireConnection();
  try {
    return { state: stateOf(await look(connection)), reason: refusals.get(client) ?? null };
  } finally {
    await client.releaseConnection(connection);
  }
}
