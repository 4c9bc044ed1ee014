/**
 * The index of the parts of users' texts: GIN over trigrams (`pg_trgm`), which PostgreSQL keeps like any other and
 * uses for `like` where few rows match. It is no part of a migration: making it takes minutes for millions of users, while
 * others write, and the extension may be missing or not be allowed. Without it, lists read all users of an account.
 */

import type { Knex } from 'knex';
import type pg from 'pg';
import { minute } from '../../../domain/durations.ts';
import type { IndexedSlice, SearchLack, SearchStanding } from '../../search.ts';
import { isPassing } from '../errors.ts';
import { expressionOf, text } from '../list-index.ts';
import { searchedTexts } from '../searched-texts.ts';
import { withoutDeadline } from './deadline.ts';
import type { Settings } from './settings.ts';
import { changeSettings, isCarrying } from './transaction-pooling.ts';

const name = 'users_search_parts';

/** Fewer users are read through as quickly. */
const leastUsers = 5_000;

/**
 * It waits for transactions under way, such as a dump of hours, without keeping anybody who reads or writes waiting.
 * Giving up would leave an index that finds nothing, and that every write keeps up.
 */
const building: Settings = { statementTimeout: 0, lockTimeout: 0, idleInTransactionTimeout: 0, isReadOnly: false };

/** Short of the default, since a search reads one by one what has not been sorted in. */
const unsortedKilobytes = 512;

const standing = `select (select reltuples from pg_class where oid = to_regclass('users')) >= ${leastUsers} as large,
  (select indisvalid from pg_index where indexrelid = to_regclass('${name}')) as valid,
  exists (select 1 from pg_stat_progress_create_index where index_relid = to_regclass('${name}')) as building,
  (select extnamespace::regnamespace::text from pg_extension where extname = 'pg_trgm') as schema,
  exists (select 1 from pg_available_extensions where name = 'pg_trgm') as available,
  has_database_privilege(current_database(), 'create') as creating`;

interface Found {
  /** By the server's estimate; null where it has none. */
  readonly large: boolean | null;
  /** Null where there is no index. */
  readonly valid: boolean | null;
  readonly building: boolean;
  /** Of the extension, as SQL; null where it is not created. */
  readonly schema: string | null;
  /** It may be created. */
  readonly available: boolean;
  /** The role may create it. */
  readonly creating: boolean;
}

async function look(connection: Pick<pg.Client, 'query'>): Promise<Found> {
  const { rows } = await connection.query<Found>(standing);
  return rows[0] as Found; // It answers one row.
}

/** Without which it is not tried. */
function lackOf(connection: pg.Client, { schema, available, creating }: Found): SearchLack | null {
  if (schema === null && !available) return 'extension';
  if (schema === null && !creating) return 'right_to_create_extension';
  // It gives each statement its settings in one transaction, in which no index is made concurrently.
  return isCarrying(connection) ? 'direct_connection' : null;
}

const drop = `drop index concurrently if exists ${name}`;

async function make(connection: pg.Client, db: Knex, found: Found): Promise<void> {
  // Of a process that ended while it made it.
  if (found.valid === false) await connection.query(drop);
  if (found.schema === null) await connection.query('create extension if not exists pg_trgm');
  // It need not be in the search path.
  const { schema } = await look(connection);
  const columns = searchedTexts.map((column) => `(${expressionOf(db, text(column))}) ${schema}.gin_trgm_ops`);
  await connection.query(`create index concurrently if not exists ${name} on users using gin (${columns.join(', ')})
    with (gin_pending_list_limit = ${unsortedKilobytes})`);
  // Of what it is computed from, the planner knows nothing yet.
  await connection.query('analyze users');
}

/** What was left half made costs every write, and finds nothing. */
async function clearUp(connection: pg.Client): Promise<void> {
  try {
    const { valid, building: isBuilding } = await look(connection);
    if (valid === false && !isBuilding) await connection.query(drop);
  } catch {
    // The connection has ended: the next look finds it.
  }
}

/** When the next look of this process is due; never again once the index is there or was refused. */
const looksAt = new WeakMap<Knex.Client, number>();
/** What it lacks, once it was told. */
const told = new WeakMap<Knex.Client, SearchLack>();

const lookMilliseconds = minute;
const retryMilliseconds = 5 * minute;

const nothing: IndexedSlice = { indexed: 0, isLast: true };

/** Makes the index if it is missing. What the server refuses for good is tried again by the next process that starts. */
export async function makeSearchIndex(db: Knex, signal: AbortSignal): Promise<IndexedSlice> {
  const client: Knex.Client = db.client;
  if (performance.now() < (looksAt.get(client) ?? 0)) return nothing;
  const connection: pg.Client = await client.acquireConnection();
  const giveUp = () => void connection.end();
  signal.addEventListener('abort', giveUp);
  let isChanged = false;
  try {
    if (signal.aborted) return nothing;
    const found = await look(connection);
    looksAt.set(client, found.valid === true ? Number.POSITIVE_INFINITY : performance.now() + lookMilliseconds);
    if (found.valid === true || found.building || found.large !== true) return nothing;
    const lack = lackOf(connection, found);
    if (lack) return tellOnce(client, lack);
    isChanged = true;
    await withoutDeadline(connection, async () => {
      await changeSettings(connection, building);
      try {
        await make(connection, db, found);
      } catch (error) {
        await clearUp(connection);
        throw error;
      }
    });
    return nothing;
  } catch (error) {
    if (signal.aborted) return nothing;
    if (!isChanged) throw error;
    looksAt.set(client, isPassing(error) ? performance.now() + retryMilliseconds : Number.POSITIVE_INFINITY);
    return { ...nothing, refused: error instanceof Error ? error.message : String(error) };
  } finally {
    signal.removeEventListener('abort', giveUp);
    // Its settings are not for anybody else.
    if (isChanged || signal.aborted) await client.destroyRawConnection(connection);
    await client.releaseConnection(connection);
  }
}

function tellOnce(client: Knex.Client, lack: SearchLack): IndexedSlice {
  if (told.get(client) === lack) return nothing;
  told.set(client, lack);
  return { ...nothing, refused: `lacking: ${lack}` };
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
    const found = await look(connection);
    const state = stateOf(found);
    return { state, lack: state === 'missing' ? lackOf(connection, found) : null };
  } finally {
    await client.releaseConnection(connection);
  }
}
