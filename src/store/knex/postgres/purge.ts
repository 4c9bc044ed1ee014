/**
 * Slices of one or two statements. Nodes that delete at the same time skip each other's rows. A slice begins where the
 * last one ended, not at the first entry of the index, because entries of deleted rows stay there until autovacuum
 * runs.
 */

import type { Knex } from 'knex';
import type { Slice, SliceWanted } from '../../purge.ts';
import { deleteDue, isDeadGrant, isSwept, keepSwept, sliceOf } from '../purge.ts';
import { postgresDialect } from './dialect.ts';
import { deleteRows, isDistributed, purgeExpired } from './purge-by-account.ts';

export async function purge(db: Knex, wanted: SliceWanted): Promise<Slice> {
  const { table, from, limit } = wanted;
  if (isSwept(table)) return sweepers[table](db, wanted);
  if (await isDistributed(db)) return purgeExpired(db, table, wanted);
  const { sql, bindings } = deleteDue(table, wanted, postgresDialect);
  const { rows }: { rows: { expires_at: number }[] } = await db.raw(sql, bindings);
  const ends = rows.map(({ expires_at: end }) => end);
  return sliceOf(table, from, ends, ends.length < limit);
}

/** In key order: grants by id, account by account. */
async function sweepGrants(db: Knex, { now, from, limit }: SliceWanted): Promise<Slice> {
  const after = from ?? [0, 0];
  const seen: { account_id: number; id: number }[] = await db('grants')
    .select(['account_id', 'id'])
    .whereRaw('(account_id, id) > (?, ?)', [...after])
    .orderBy(['account_id', 'id'])
    .limit(limit);
  const last = seen.at(-1);
  if (last === undefined) return { deleted: 0, reached: from, isLast: true, overdueSince: null };
  const reached = [last.account_id, last.id];
  const dead = now - keepSwept;
  if (await isDistributed(db)) {
    const deleted = await deleteRows(db, 'grants', ['id'], seen, (rows) =>
      rows.whereRaw(isDeadGrant, [dead, dead, dead]),
    );
    return { deleted, reached, isLast: seen.length < limit, overdueSince: null };
  }
  const { rowCount } = await db.raw(
    `with dead as (select ctid from grants where (account_id, id) > (?, ?) and (account_id, id) <= (?, ?)
      and ${isDeadGrant} ${postgresDialect.passingOver})
      delete from grants where ctid in (select ctid from dead) and ${postgresDialect.withoutWaiting}`,
    [...after, ...reached, dead, dead, dead],
  );
  return { deleted: rowCount, reached, isLast: seen.length < limit, overdueSince: null };
}

async function sweepBundles(db: Knex, { now, limit }: SliceWanted): Promise<Slice> {
  const old = () => db('package_bundles').where('used_at', '<=', now - keepSwept);
  const built = db('package_builds').where('digest', '>', '').select('digest');
  const unused: string[] = await old().whereNotIn('digest', built).orderBy('used_at').limit(limit).pluck('digest');
  // Who begins to use one meanwhile has noted it. Bundles belong to no account, builds do: two statements.
  const deleted = unused.length === 0 ? 0 : await old().whereIn('digest', unused).delete();
  return { deleted, reached: null, isLast: deleted < limit, overdueSince: null };
}

const sweepers = { grants: sweepGrants, package_bundles: sweepBundles };
