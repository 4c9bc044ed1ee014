/** Deletes in slices the rows that depend on something removed. */

import type { Knex } from 'knex';
import type { RemovalKind } from '../removals.ts';
import { addRemovals, type Removal } from './add-removals.ts';
import { stillAssigned } from './assigned.ts';
import { atAccount } from './at-account.ts';
import { clearedTables } from './cleared-tables.ts';
import { dialectOf } from './dialect.ts';
import { endRequests, inFlight } from './in-flight.ts';
import type { Reference, Removable } from './removed.ts';

export interface Progress {
  readonly rows: number;
  readonly grantsRevoked: number;
}

/** Clears up to `limit` rows. A smaller result means that none are left. */
type Step = (db: Knex, removal: Removal, limit: number) => Promise<Progress>;

/**
 * Deletes rows of a table by the column that references the removed object. `key`: its key without the account. What
 * all of them have in common is not part of the comparison: SQLite would look through all rows of the object for each
 * slice. The rows are chosen once, whatever the plan: PostgreSQL may run a subquery that locks rows again for each row.
 */
function rowsOf(table: string, by: Reference, key: readonly string[]): Step {
  return async (db, { account_id: accountId, object_id: objectId }, limit) => {
    const rest = key.filter((column) => column !== by);
    const found = db(table)
      .select(rest)
      .where({ account_id: accountId, [by]: objectId })
      .limit(limit);
    const rows = db(table).withMaterialized('chosen', dialectOf(db).passOver(found));
    rows.where({ account_id: accountId, ...(rest.length < key.length && { [by]: objectId }) });
    const deleted = await rows.whereIn(rest, db('chosen').select(rest)).delete();
    return { rows: deleted, grantsRevoked: 0 };
  };
}

/** Clears the manager of users whom a removed user manages. */
async function releaseManaged(db: Knex, { account_id: accountId, object_id: userId }: Removal, limit: number) {
  // Written like the list's index, so that the statement finds the few rows by it.
  const managed = db('users').select('id').where('account_id', accountId);
  managed.whereRaw('coalesce(manager_user_id, -1) = ?', [userId]).limit(limit);
  const rows = await db('users')
    .where('account_id', accountId)
    .whereIn('id', dialectOf(db).passOver(managed))
    .update({ manager_user_id: null });
  return { rows, grantsRevoked: 0 };
}

interface Revoked {
  readonly grantsRevoked: number;
  /** As many as allowed had lost it: there may be more, also if some were revoked by others meanwhile. */
  readonly mayBeMore: boolean;
}

/** Revokes up to `limit` of these grants that lost what the removal took. */
async function revokeLost(db: Knex, removal: Removal, candidates: Knex.QueryBuilder, limit: number): Promise<Revoked> {
  const { account_id: accountId, removed_at: at, last_grant_id: last } = removal;
  const lost = candidates.select('id').where('account_id', accountId).where('id', '<=', last).whereNull('revoked_at');
  if (removal.kind === 'api_link') lost.where('server_id', removal.server_id);
  else lost.whereRaw(...atAccount(`not ${stillAssigned('grants')}`, Number(accountId), 'grants'));
  // Chosen without an order, by which they would be read in the order of all grants of the account; then locked in the
  // order in which refreshes lock them. It waits for a grant in use, which must not be skipped.
  const chosen: { id: number }[] = await lost.limit(limit);
  const mayBeMore = chosen.length >= limit;
  if (chosen.length === 0) return { grantsRevoked: 0, mayBeMore };
  const ids = chosen.map(({ id }) => Number(id));
  const grants = () => db('grants').where('account_id', accountId).whereIn('id', ids).whereNull('revoked_at');
  await dialectOf(db).waitFor(grants().select('id').orderBy('id'));
  const because = removal.kind === 'api_link' ? 'the API is no longer linked' : 'access_not_assigned';
  return { grantsRevoked: await grants().update({ revoked_at: at, revoked_because: because }), mayBeMore };
}

/** Ends the grants of users who had a removed role, and removes the role from them. */
async function releaseMembers(db: Knex, removal: Removal, limit: number): Promise<Progress> {
  const { account_id: accountId, object_id: roleId } = removal;
  const members = db('role_users').where({ account_id: accountId, role_id: roleId });
  const found: { user_id: number }[] = await members.clone().select('user_id').limit(limit);
  if (found.length === 0) return { rows: 0, grantsRevoked: 0 };
  const userIds = found.map((row) => Number(row.user_id));
  const candidates = db('grants').whereIn('user_id', userIds);
  const { grantsRevoked, mayBeMore } = await revokeLost(db, removal, candidates, limit);
  // Their other grants are found by these links.
  if (mayBeMore) return { rows: limit, grantsRevoked };
  await endInFlight(db, accountId, { userIds });
  return { rows: await members.whereIn('user_id', userIds).delete(), grantsRevoked };
}

async function endInFlight(
  db: Knex,
  accountId: number,
  loss: { readonly userIds: readonly number[] } | { readonly appId: number },
): Promise<void> {
  const whose = { unassigned: loss };
  await endRequests(db, accountId, whose);
  await inFlight(db, 'codes', accountId, whose).whereNull('used_at').delete();
  await inFlight(db, 'device_codes', accountId, whose).where('decision', 'allow').update({ decision: 'deny' });
}

/** Checks the grants of an app that users lost, or that was unlinked from an API, in the order of their ids. */
async function releaseGrants(db: Knex, removal: Removal, limit: number): Promise<Progress> {
  const { account_id: accountId, object_id: appId, last_grant_id: last, reached_grant_id: reached } = removal;
  const seen: { id: number }[] = await db('grants')
    .select('id')
    .where({ account_id: accountId, app_id: appId })
    .where('id', '>', reached)
    .where('id', '<=', last)
    .orderBy('id')
    .limit(limit);
  const ids = seen.map(({ id }) => Number(id));
  const { grantsRevoked } = await revokeLost(db, removal, db('grants').whereIn('id', ids), limit);
  // Grants are locked first everywhere. What is in flight for an API looks for the link itself.
  if (removal.kind === 'access' && Number(reached) === 0) await endInFlight(db, accountId, { appId });
  if (ids.length === 0) return { rows: 0, grantsRevoked };
  const row = db('removals').where({ account_id: accountId, id: removal.id });
  await row.update({ reached_grant_id: ids.at(-1) });
  return { rows: ids.length, grantsRevoked };
}

/**
 * Takes a removed API from the apps in a table, which are linked to it or have it by consent; the grants of each app are
 * then cleared by a removal of their own.
 */
function releaseFrom(table: 'authorization_server_clients' | 'open_server_clients'): Step {
  return async (db, { account_id: accountId, object_id: serverId, removed_at: at }, limit) => {
    const links = db(table).where({ account_id: accountId, server_id: serverId });
    // It waits for a link in use: one that goes with the API's row would leave its grants alive.
    const locked = dialectOf(db).waitFor(links.clone().select('app_id').orderBy('app_id').limit(limit));
    const found: { app_id: number }[] = await locked;
    if (found.length === 0) return { rows: 0, grantsRevoked: 0 };
    const appIds = found.map((link) => Number(link.app_id));
    await addRemovals(db, accountId, 'api_link', appIds, at, serverId);
    return { rows: await links.whereIn('app_id', appIds).delete(), grantsRevoked: 0 };
  };
}

function clearAll(kind: Removable): Step[] {
  return clearedTables[kind].map(([table, by, key]) => rowsOf(table, by, key));
}

/** The remaining rows are deleted with the object's row: a few of each of the other tables. */
const steps: Readonly<Record<RemovalKind, readonly Step[]>> = {
  user: [...clearAll('user'), releaseManaged],
  app: clearAll('app'),
  role: [releaseMembers, ...clearAll('role')],
  attribute: clearAll('attribute'),
  api: [releaseFrom('authorization_server_clients'), releaseFrom('open_server_clients'), ...clearAll('api')],
  access: [releaseGrants],
  api_link: [releaseGrants],
};

/** Clears up to `limit` rows. A smaller result means that only rows deleted with the object's row are left. */
export async function clearStep(db: Knex, removal: Removal, limit: number): Promise<Progress> {
  let rows = 0;
  let grantsRevoked = 0;
  for (const step of steps[removal.kind]) {
    const done = await step(db, removal, limit - rows);
    rows += done.rows;
    grantsRevoked += done.grantsRevoked;
    if (rows >= limit) break;
  }
  return { rows, grantsRevoked };
}
