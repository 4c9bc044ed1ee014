/** The statements that find and delete expired rows. */

import type { Knex } from 'knex';
import { day, hour, minute } from '../../domain/durations.ts';
import {
  type ExpiringTable,
  expiringTables,
  type Position,
  type PurgedTable,
  type Slice,
  type SweptTable,
  sweptTables,
} from '../purge.ts';
import type { Milliseconds } from '../time.ts';
import type { Dialect } from './dialect.ts';

interface Kind {
  /** Without the account. */
  readonly key: readonly string[];
  /** How long a row stays after its `expires_at`. */
  readonly keep: Milliseconds;
}

/** Codes stay so that a replay still revokes their grants, and invite links so that a late user is told why. */
export const expiringKinds: Readonly<Record<ExpiringTable, Kind>> = {
  credential_tokens: { key: ['id'], keep: hour },
  access_tokens: { key: ['id'], keep: hour },
  authorization_requests: { key: ['digest'], keep: 0 },
  ended_requests: { key: ['digest'], keep: 0 },
  pushed_requests: { key: ['digest'], keep: 0 },
  codes: { key: ['digest'], keep: day },
  // How long a device is told that its code has expired.
  device_codes: { key: ['digest'], keep: hour },
  sessions: { key: ['id'], keep: 0 },
  session_apps: { key: ['sid', 'app_id'], keep: 0 },
  invite_links: { key: ['digest'], keep: 30 * day },
  password_resets: { key: ['digest'], keep: day },
  // Only unaccepted ones: an accepted device does not expire.
  factor_devices: { key: ['id'], keep: 0 },
  factor_verifications: { key: ['id'], keep: hour },
  passkey_challenges: { key: ['digest'], keep: 0 },
  client_assertions: { key: ['app_id', 'digest'], keep: 0 },
  hook_executions: { key: ['id'], keep: 0 },
  hook_log_sizes: { key: ['expires_at'], keep: 0 },
  kept_answers: { key: ['digest'], keep: 0 },
  refusals: { key: ['request_id'], keep: 0 },
  // They end by the database's clock, which may be behind that of a node.
  limit_counts: { key: ['digest'], keep: minute },
  notice_paces: { key: ['digest'], keep: 0 },
  account_counts: { key: ['day', 'kind'], keep: 0 },
  // A code that is used again ends its token.
  console_grants: { key: ['digest'], keep: 0 },
  console_proofs: { key: ['digest'], keep: 0 },
};

/**
 * Grants stay for a day after their end, and so do package scripts that no hook uses: a build that begins records its
 * use.
 */
export const keepSwept: Milliseconds = day;

export function isSwept(table: PurgedTable): table is SweptTable {
  return (sweptTables as readonly string[]).includes(table);
}

export async function findOverdue(
  db: Knex,
  now: Milliseconds,
  reached: ReadonlyMap<PurgedTable, Position>,
): Promise<ReadonlyMap<ExpiringTable, Milliseconds>> {
  const oldest = expiringTables.map((table) =>
    db(table)
      .select('expires_at')
      .where('expires_at', '>=', reached.get(table)?.[0] ?? 0)
      .orderBy('expires_at')
      .limit(1)
      .as(table),
  );
  const row: Partial<Record<ExpiringTable, Milliseconds | null>> = (await db.select(oldest).first()) ?? {};
  const overdue = new Map<ExpiringTable, Milliseconds>();
  for (const table of expiringTables) {
    const expiresAt = row[table] ?? null;
    if (expiresAt !== null && expiresAt + expiringKinds[table].keep <= now)
      overdue.set(table, expiresAt + expiringKinds[table].keep);
  }
  return overdue;
}

export interface DueStatement {
  readonly sql: string;
  /** In the order of the statement: from, until, limit. */
  readonly bindings: [from: number, until: number, limit: number];
}

/** Deletes the rows that expired first and returns the `expires_at` of each. */
export function deleteDue(
  table: ExpiringTable,
  { now, from, limit }: { readonly now: Milliseconds; readonly from: Position | null; readonly limit: number },
  { passingOver, withoutWaiting, placeOf }: Pick<Dialect, 'passingOver' | 'withoutWaiting' | 'placeOf'>,
): DueStatement {
  const place = placeOf(['account_id', ...expiringKinds[table].key].join(', '));
  return {
    sql: `with due as (select ${place} from ${table} where expires_at >= ? and expires_at <= ?
      order by expires_at limit ? ${passingOver})
      delete from ${table} where (${place}) in (select ${place} from due) and ${withoutWaiting} returning expires_at`,
    bindings: [from?.[0] ?? 0, now - expiringKinds[table].keep, limit],
  };
}

/** The result of a slice of an expiring table. */
export function sliceOf(
  table: ExpiringTable,
  from: Position | null,
  ends: readonly Milliseconds[],
  isLast: boolean,
): Slice {
  if (ends.length === 0) return { deleted: 0, reached: from, isLast, overdueSince: null };
  const last = ends.reduce((latest, end) => Math.max(latest, end), 0);
  return { deleted: ends.length, reached: [last], isLast, overdueSince: last + expiringKinds[table].keep };
}

/** Dead grants in a range of keys; bindings: the time, three times, after those of the range. */
export const isDeadGrant = '(revoked_at <= ? or idle_expires_at <= ? or absolute_expires_at <= ?)';

/** Bindings: the time, the maximum number of rows. */
export const deleteBundles = `delete from package_bundles where digest in (select digest from package_bundles
  where used_at <= ? and not exists (select 1 from package_builds where package_builds.digest = package_bundles.digest)
  order by used_at limit ?)`;
