/**
 * Removes objects that any number of rows may depend on. Once the transaction has ended the object cannot be found any
 * more (removed.ts). Its row stays for the foreign keys of others, which are deleted in slices; the last slice deletes
 * the row.
 */

import type { Knex } from 'knex';
import { type ClearedSlice, type Clearing, type ClearingTurn, type FailedSlice, firstTurn } from '../removals.ts';
import type { Milliseconds } from '../time.ts';
import { addRemovals, type Removal } from './add-removals.ts';
import { clearStep, type Progress } from './clear-removed.ts';
import { dialectOf } from './dialect.ts';
import { homes, isRemovable, present, type Removable } from './removed.ts';
import type { Cell } from './shape.ts';
import { persistently, together } from './transact.ts';
import { countedBy } from './user-counts.ts';

/** The number of rows that a removal clears in its own transaction: usually all of them. */
const rowsAtOnce = 200;
/** The number of apps that the transaction checks for lost access; the grants for the others are dead all the same. */
const appsAtOnce = 20;
/** Rows per insert statement. */
const addedAtOnce = 400;

/** Frees unique values and references; the replacement is not a name that anyone can choose. */
const freed: Readonly<Record<Removable, (text: string) => Readonly<Record<string, Cell>>>> = {
  user: () => ({
    email: null,
    email_key: null,
    username: null,
    username_key: null,
    password_digest: null,
    policy_id: null,
    ...countedBy.nobody,
  }),
  app: (text) => ({ client_id: text, registration_token_digest: null, secret_digest: null, policy_id: null }),
  role: (text) => ({ name: text, policy_id: null }),
  attribute: (text) => ({ shortname: text }),
  api: (text) => ({ resource_identifier: text }),
};

/** The removals of the same object, or loss. */
function same(db: Knex, { account_id, kind, object_id, server_id }: Removal): Knex.QueryBuilder {
  return db('removals').where({ account_id, kind, object_id, server_id });
}

/** Before the row goes: a process of the release before left the user counted; the index of texts has no foreign key. */
async function forget(db: Knex, accountId: number, userId: number): Promise<void> {
  const user = db('users').where({ account_id: accountId, id: userId }).where('counted', '>=', 0);
  await user.update(countedBy.nobody);
  const { userSearch } = dialectOf(db);
  if (userSearch) await db.raw(...userSearch.forget(userId));
}

/** Clears up to `limit` rows; the last slice deletes the object and the removal. */
async function clear(db: Knex, removal: Removal, limit: number): Promise<ClearedSlice & Progress> {
  const progress = await clearStep(db, removal, limit);
  const { kind, account_id: accountId, object_id: objectId } = removal;
  const isLast = progress.rows < limit;
  if (isLast) {
    if (isRemovable(kind)) {
      const { table, id } = homes[kind];
      if (kind === 'user') await forget(db, accountId, objectId);
      await db(table)
        .where({ account_id: accountId, [id]: objectId })
        .delete();
    }
    // Earlier losses of the same are done too: this one checked their grants as well.
    await same(db, removal).where('id', '<=', removal.id).delete();
  }
  return { kind, accountId: Number(accountId), isLast, ...progress };
}

/**
 * Removes an object: it cannot be found from then on, its names are free, and what was granted by it or for it is dead.
 * Returns how many grants of others were revoked so far; null when there is no such object.
 */
export function removeObject(
  db: Knex,
  kind: Removable,
  accountId: number,
  id: number,
  at: Milliseconds,
): Promise<number | null> {
  const home = homes[kind];
  return together(db, async (tx) => {
    const key = { account_id: accountId, [home.id]: id };
    // If two remove it, one waits here, and sees in the next statement that it is gone.
    await dialectOf(tx).lock(() => tx(home.table).where(key).first(home.id), 'forUpdate');
    const removed = tx(home.table)
      .where(key)
      .whereRaw(present(kind, home.table, home.id));
    // With a line break, which no name has.
    if ((await removed.update(freed[kind](`removed\n${id}`))) !== 1) return null;
    const [removal] = await addRemovals(tx, accountId, kind, [id], at);
    return removal ? (await clear(tx, removal, rowsAtOnce)).grantsRevoked : null;
  });
}

/** The same for objects whose removal revokes nothing of others. */
export async function remove(...given: Parameters<typeof removeObject>): Promise<boolean> {
  return (await removeObject(...given)) !== null;
}

/**
 * Ends what users have of these apps if they may no longer use them. Returns how many grants were revoked so far; the
 * others are dead, and stay so if the access is given again.
 */
export function endLost(db: Knex, accountId: number, appIds: readonly number[], at: Milliseconds): Promise<number> {
  return together(db, async (tx) => {
    // App by app: of two for the same app, the later one has the greater id.
    const apps = tx('clients').where('account_id', accountId).whereIn('app_id', appIds).orderBy('app_id');
    await dialectOf(tx).lock(() => apps.select('app_id'), 'forNoKeyUpdate');
    return endOfApps(tx, accountId, 'access', appIds, at);
  });
}

/**
 * Ends what users have of these apps: if they may no longer use them, or what is for one API only, in the transaction
 * that took this API from them. Returns how many grants were revoked so far; the others are dead, and stay so if the
 * apps get it again.
 */
export async function endOfApps(
  tx: Knex,
  accountId: number,
  kind: 'access' | 'api_link',
  appIds: readonly number[],
  at: Milliseconds,
  serverId: number | null = null,
): Promise<number> {
  let grantsRevoked = 0;
  for (let from = 0; from < appIds.length; from += addedAtOnce) {
    const added = await addRemovals(tx, accountId, kind, appIds.slice(from, from + addedAtOnce), at, serverId);
    if (from === 0) grantsRevoked = await begin(tx, added.slice(0, appsAtOnce));
  }
  return grantsRevoked;
}

/** Clears some rows of each; returns how many grants were revoked. */
async function begin(tx: Knex, removals: readonly Removal[]): Promise<number> {
  let grantsRevoked = 0;
  for (const removal of removals) grantsRevoked += (await clear(tx, removal, rowsAtOnce)).grantsRevoked;
  return grantsRevoked;
}

/** Removes an API (API authorization server) with its links. Returns what `removeObject` does. */
export function removeApi(db: Knex, accountId: number, serverId: number, at: Milliseconds): Promise<number | null> {
  return together(db, async (tx) => {
    if ((await removeObject(tx, 'api', accountId, serverId, at)) === null) return null;
    const unlinked = tx('removals').where({ account_id: accountId, kind: 'api_link', server_id: serverId });
    return begin(tx, await dialectOf(tx).passOver(unlinked.orderBy('id').limit(appsAtOnce)));
  });
}

/** How many removals are tried: other processes may be clearing the first ones. */
const mostTried = 16;

/** Locks the removal whose turn it is, skipping those locked by other processes. */
async function takeNext(db: Knex, { after, except }: ClearingTurn): Promise<Removal | null> {
  // First the accounts after that one, then from the beginning. Only this look goes through all accounts.
  for (const behind of ['>', '<=']) {
    const next = db('removals').where('account_id', behind, after).whereNotIn('id', except);
    next.orderBy(['account_id', 'id']).limit(mostTried).select('account_id', 'id');
    for (const key of (await next) as Pick<Removal, 'account_id' | 'id'>[]) {
      const [removal]: Removal[] = await dialectOf(db).passOver(db('removals').where(key));
      if (removal) return isRemovable(removal.kind) ? removal : furthestOf(db, removal, except);
    }
  }
  return null;
}

/** Of several losses of the same access or link one is enough: the furthest one, else the newest. */
async function furthestOf(db: Knex, removal: Removal, except: readonly number[]): Promise<Removal> {
  const losses = same(db, removal).whereNotIn('id', except);
  losses.orderBy([
    { column: 'reached_grant_id', order: 'desc' },
    { column: 'id', order: 'desc' },
  ]);
  const [furthest = removal]: Removal[] = await dialectOf(db).passOver(losses.limit(1));
  return furthest;
}

async function clearNext(db: Knex, limit: number, turn: ClearingTurn): Promise<ClearedSlice | FailedSlice | null> {
  const taken: { removal: Removal | null } = { removal: null };
  try {
    return await persistently(() => {
      taken.removal = null;
      return together(db, async (tx) => {
        taken.removal = await takeNext(tx, turn);
        return taken.removal && clear(tx, taken.removal, limit);
      });
    });
  } catch (error) {
    if (!taken.removal) throw error;
    const { account_id: accountId, id } = taken.removal;
    return { accountId: Number(accountId), removalId: Number(id), error };
  }
}

/** `Clearing` on an engine. */
export function clearing(db: Knex): Clearing {
  return {
    clearRemoved: (limit, turn = firstTurn) => clearNext(db, limit, turn),
    findWaitingRemovals: async () => {
      const [found] = await db('removals').count({ count: '*' }).min({ since: 'removed_at' });
      return { count: Number(found?.['count']), since: found?.['since'] == null ? null : Number(found['since']) };
    },
  };
}
