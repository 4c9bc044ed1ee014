/** Adds rows of `removals`: from their transaction on, what depended on the objects is dead. */

import type { Knex } from 'knex';
import type { RemovalKind } from '../removals.ts';
import type { Milliseconds } from '../time.ts';

/** A row of `removals`. */
export interface Removal {
  readonly account_id: number;
  readonly id: number;
  readonly kind: RemovalKind;
  readonly object_id: number;
  /** The API that an app was unlinked from; null for other kinds. */
  readonly server_id: number | null;
  readonly removed_at: Milliseconds;
  /** Newer grants depend on later assignments and links. */
  readonly last_grant_id: number;
  /** Grants up to this one have been checked. */
  readonly reached_grant_id: number;
}

/** Up to a few hundred objects; `serverId` as in `Removal`. */
export function addRemovals(
  db: Knex,
  accountId: number,
  kind: RemovalKind,
  objectIds: readonly number[],
  at: Milliseconds,
  serverId: number | null = null,
): Promise<Removal[]> {
  const last = db.raw('(select coalesce(max(id), 0) from grants where account_id = ?)', [accountId]);
  const common = { account_id: accountId, kind, server_id: serverId, removed_at: at, last_grant_id: last };
  return db('removals')
    .insert(objectIds.map((objectId) => ({ ...common, object_id: objectId })))
    .returning('*');
}
