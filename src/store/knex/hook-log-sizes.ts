/**
 * How much an account stores of its hooks' runs, without reading them: each row of `hook_log_sizes` has the bytes of the
 * runs that expire in some six hours, so that it goes by itself after them.
 */

import type { Knex } from 'knex';
import { hour, minute } from '../../domain/durations.ts';
import type { LogRoom } from '../hook-executions.ts';
import type { Milliseconds } from '../time.ts';
import { dialectOf } from './dialect.ts';

const partMilliseconds = 6 * hour;
/** Runs are numbered when they have ended, and expire from their beginning on: a later one may expire sooner by this. */
const mostOutOfOrder = 10 * minute;
/** Rows that are read and deleted at once: each may have some hundred KB. */
const rowsAtOnce = 25;
/** Rows that one call deletes at most. Each counts for more than one without lines. */
const mostRows = 500;

interface Sized {
  readonly accountId: number;
  readonly expiresAt: Milliseconds;
  readonly bytes: number;
}

/** The end of the part in which a run expires. */
function partOf(expiresAt: Milliseconds): Milliseconds {
  return Math.ceil(expiresAt / partMilliseconds) * partMilliseconds;
}

/** One for each account and part; in the same order always, so that concurrent writers cannot deadlock. */
function inParts(runs: readonly Sized[]): readonly Sized[] {
  const parts = new Map<string, Sized>();
  for (const { accountId, expiresAt, bytes } of runs) {
    const part = { accountId, expiresAt: partOf(expiresAt) };
    const name = `${part.accountId} ${part.expiresAt}`;
    parts.set(name, { ...part, bytes: bytes + (parts.get(name)?.bytes ?? 0) });
  }
  return [...parts.values()].sort((one, other) => one.accountId - other.accountId || one.expiresAt - other.expiresAt);
}

/** In the transaction that adds the runs. */
export async function addSizes(tx: Knex, runs: readonly Sized[]): Promise<void> {
  for (const { accountId, expiresAt, bytes } of inParts(runs)) {
    await tx('hook_log_sizes')
      .insert({ account_id: accountId, expires_at: expiresAt, bytes })
      .onConflict(['account_id', 'expires_at'])
      .merge({ bytes: tx.raw('hook_log_sizes.bytes + excluded.bytes') });
  }
}

async function sumOf(tx: Knex, accountId: number): Promise<number> {
  const row: { total: unknown } | undefined = await tx('hook_log_sizes')
    .where('account_id', accountId)
    .select(tx.raw('coalesce(sum(bytes), 0) as total'))
    .first();
  return Number(row?.total);
}

/** Runs are deleted when they expire as well, which the parts do not notice: those before the oldest run are empty. */
async function dropEmptyParts(tx: Knex, accountId: number): Promise<void> {
  const oldest: { expires_at: unknown } | undefined = await tx('hook_executions')
    .where('account_id', accountId)
    .orderBy('id')
    .select('expires_at')
    .first();
  const emptyUntil = oldest ? Number(oldest.expires_at) - mostOutOfOrder : Number.MAX_SAFE_INTEGER;
  await tx('hook_log_sizes').where('account_id', accountId).where('expires_at', '<', emptyUntil).delete();
}

/** Deletes as many of the oldest runs as take so many bytes, or a few of them; answers what they took. */
async function deleteOldest(tx: Knex, accountId: number, bytes: number): Promise<readonly Sized[]> {
  const own = () => tx('hook_executions').where('account_id', accountId);
  const found: { id: unknown; expires_at: unknown; bytes: unknown }[] = await dialectOf(tx).passOver(
    own().orderBy('id').limit(rowsAtOnce).select('id', 'expires_at', 'bytes'),
  );
  const gone: Sized[] = [];
  let left = bytes;
  for (const row of found) {
    if (left <= 0) break;
    gone.push({ accountId, expiresAt: Number(row.expires_at), bytes: Number(row.bytes) });
    left -= Number(row.bytes);
  }
  const ids = found.slice(0, gone.length).map(({ id }) => Number(id));
  if (ids.length > 0) await own().whereIn('id', ids).delete();
  return gone;
}

export async function makeRoom(tx: Knex, accountId: number, wanted: number, most: number): Promise<LogRoom> {
  if ((await sumOf(tx, accountId)) + wanted <= most) return { isEnough: true, deleted: 0 };
  await dropEmptyParts(tx, accountId);
  let lacking = (await sumOf(tx, accountId)) + wanted - most;
  const gone: Sized[] = [];
  while (lacking > 0 && gone.length < mostRows) {
    const some = await deleteOldest(tx, accountId, lacking);
    if (some.length === 0) break;
    gone.push(...some);
    for (const { bytes } of some) lacking -= bytes;
  }
  for (const { expiresAt, bytes } of inParts(gone)) {
    await tx('hook_log_sizes').where({ account_id: accountId, expires_at: expiresAt }).decrement('bytes', bytes);
  }
  return { isEnough: lacking <= 0, deleted: gone.length };
}
