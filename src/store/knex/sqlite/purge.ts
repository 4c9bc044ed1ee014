/** Slices of a few milliseconds: they occupy the only connection, and block the event loop. */

import type Sqlite from 'better-sqlite3';
import type { Knex } from 'knex';
import type { ExpiringTable, Slice, SliceWanted } from '../../purge.ts';
import type { Milliseconds } from '../../time.ts';
import { deleteBundles, deleteDue, isDeadGrant, isSwept, keepSwept, sliceOf } from '../purge.ts';
import { withOneCommit } from './client.ts';
import { sqliteDialect } from './dialect.ts';
import { statement } from './statements.ts';

/** Rows per statement: short even if each has to be read from disk. */
const chunkRows = 25;
/** No further statement begins after this time; the commit comes on top. */
const sliceMilliseconds = 2;

/** Repeats `chunk` while it finds the maximum number of rows and the slice has time; returns whether rows are left. */
function inChunks(limit: number, elapsed: () => Milliseconds, chunk: (rows: number) => number): boolean {
  const startedAt = elapsed();
  for (let left = limit; left > 0; ) {
    const rows = Math.min(chunkRows, left);
    if (chunk(rows) < rows) return false;
    left -= rows;
    if (elapsed() - startedAt >= sliceMilliseconds) break;
  }
  return true;
}

/** `elapsed` returns the duration of the slice so far. */
export function purge(
  db: Knex,
  wanted: SliceWanted,
  elapsed: () => Milliseconds = () => performance.now(),
): Promise<Slice> {
  const { table } = wanted;
  return withOneCommit(db, (connection) => {
    const result = isSwept(table)
      ? sweepers[table](connection, wanted, elapsed)
      : deleteExpired(connection, table, wanted, elapsed);
    return { result, wrote: result.deleted > 0 };
  });
}

function deleteExpired(
  connection: Sqlite.Database,
  table: ExpiringTable,
  { now, from, limit }: SliceWanted,
  elapsed: () => Milliseconds,
): Slice {
  const ends: Milliseconds[] = [];
  const more = inChunks(limit, elapsed, (rows) => {
    const { sql, bindings } = deleteDue(table, { now, from, limit: rows }, sqliteDialect);
    const gone = statement(connection, sql).all(...bindings);
    for (const row of gone) ends.push(Number(row['expires_at']));
    return gone.length;
  });
  return sliceOf(table, from, ends, !more);
}

type Sweep = (connection: Sqlite.Database, wanted: SliceWanted, elapsed: () => Milliseconds) => Slice;

const sweepGrants: Sweep = (connection, { now, from, limit }, elapsed) => {
  const next = statement(connection, 'select id from grants where id > ? order by id limit ?');
  const remove = statement(connection, `delete from grants where id > ? and id <= ? and ${isDeadGrant}`);
  const dead = now - keepSwept;
  let reached = from?.[0] ?? 0;
  let deleted = 0;
  const more = inChunks(limit, elapsed, (rows) => {
    const seen = next.all(reached, rows);
    const to = Number(seen.at(-1)?.['id'] ?? reached);
    deleted += remove.run(reached, to, dead, dead, dead).changes;
    reached = to;
    return seen.length;
  });
  return { deleted, reached: [reached], isLast: !more, overdueSince: null };
};

const sweepBundles: Sweep = (connection, { now, limit }, elapsed) => {
  let deleted = 0;
  const more = inChunks(limit, elapsed, (rows) => {
    const { changes } = statement(connection, deleteBundles).run(now - keepSwept, rows);
    deleted += changes;
    return changes;
  });
  return { deleted, reached: null, isLast: !more, overdueSince: null };
};

const sweepers = { grants: sweepGrants, package_bundles: sweepBundles };
