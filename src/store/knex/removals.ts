/**
 * Removing what any number of rows hang on: the object is gone for whoever asks when the transaction ends (removed.ts),
 * its row stays for the foreign keys of the others, and slices clear those until the last one deletes it.
 */

import type { Knex } from 'knex';
import type { Milliseconds } from '../records.ts';
import type { ClearedSlice, Clearing, RemovalKind } from '../removals.ts';
import { clearStep, type Progress, type Removal } from './clear-removed.ts';
import { isPostgres } from './list-index.ts';
import { present, type Removable } from './removed.ts';
import type { Cell } from './shape.ts';
import { together } from './transact.ts';

/** What a removal clears itself, in its own transaction: all of it, unless there is much. */
const rowsAtOnce = 200;
/** Apps that the transaction looks at in which access is lost; what their users had is dead for all of them. */
const appsAtOnce = 20;
/** As many as one statement adds. */
const addedAtOnce = 400;

interface Place {
  readonly table: string;
  readonly id: string;
  /** Frees what is unique or holds something else; such a text is no name that anybody can give. */
  readonly free: (text: string) => Readonly<Record<string, Cell>>;
}

const places: Readonly<Record<Removable, Place>> = {
  user: {
    table: 'users',
    id: 'id',
    free: () => ({
      email: null,
      email_key: null,
      username: null,
      username_key: null,
      password_digest: null,
      policy_id: null,
    }),
  },
  app: {
    table: 'clients',
    id: 'app_id',
    free: (text) => ({ client_id: text, registration_token_digest: null, secret_digest: null, policy_id: null }),
  },
  role: { table: 'roles', id: 'id', free: (text) => ({ name: text, policy_id: null }) },
  attribute: { table: 'custom_attributes', id: 'id', free: (text) => ({ shortname: text }) },
};

/** SQL of the greatest number that grants of the account have. */
function lastGrant(db: Knex, accountId: number): Knex.Raw {
  return db.raw('(select coalesce(max(id), 0) from grants where account_id = ?)', [accountId]);
}

async function add(
  db: Knex,
  accountId: number,
  kind: RemovalKind,
  objectIds: readonly number[],
  at: Milliseconds,
): Promise<Removal[]> {
  const common = { account_id: accountId, kind, removed_at: at, last_grant_id: lastGrant(db, accountId) };
  const added = objectIds.map((objectId) => ({ ...common, object_id: objectId }));
  return db('removals').insert(added).returning('*');
}

/** SQL for the newest removal that waits: a link that is made now is younger. */
export function newestRemoval(db: Knex, accountId: number): Knex.Raw {
  return db.raw('(select max(id) from removals where account_id = ?)', [accountId]);
}

/** Clears up to so many rows; the last ones take the object and the removal along. */
async function clear(db: Knex, removal: Removal, limit: number): Promise<ClearedSlice & Progress> {
  const progress = await clearStep(db, removal, limit);
  const { kind, account_id: accountId, object_id: objectId } = removal;
  const isLast = progress.rows < limit;
  if (isLast) {
    if (kind !== 'access') {
      const { table, id } = places[kind];
      await db(table)
        .where({ account_id: accountId, [id]: objectId })
        .delete();
    }
    await db('removals').where({ account_id: accountId, id: removal.id }).delete();
  }
  return { kind, accountId: Number(accountId), isLast, ...progress };
}

/**
 * Removes an object: nobody finds it from then on, its names are free, and what was granted by it or for it is dead.
 * Answers how many grants of others were revoked until now; null when there is no such object.
 */
export function removeObject(
  db: Knex,
  kind: Removable,
  accountId: number,
  id: number,
  at: Milliseconds,
): Promise<number | null> {
  const place = places[kind];
  return together(db, async (tx) => {
    const key = { account_id: accountId, [place.id]: id };
    // Of two that remove it one waits here, and sees in the next statement that it is gone.
    if (isPostgres(tx)) await tx(place.table).where(key).forUpdate().first(place.id);
    const removed = tx(place.table)
      .where(key)
      .whereRaw(present(kind, place.table, place.id));
    // With a line break: no name has one.
    if ((await removed.update(place.free(`removed\n${id}`))) !== 1) return null;
    const [removal] = await add(tx, accountId, kind, [id], at);
    return removal ? (await clear(tx, removal, rowsAtOnce)).grantsRevoked : null;
  });
}

/** The same, for those whose removal revokes nothing of others. */
export async function remove(...given: Parameters<typeof removeObject>): Promise<boolean> {
  return (await removeObject(...given)) !== null;
}

/**
 * Ends what users have of these apps who may not use them any more. Answers how many grants were revoked until now; the
 * others are dead, and stay so if the access is given again.
 */
export function endLost(db: Knex, accountId: number, appIds: readonly number[], at: Milliseconds): Promise<number> {
  return together(db, async (tx) => {
    let grantsRevoked = 0;
    for (let from = 0; from < appIds.length; from += addedAtOnce) {
      const added = await add(tx, accountId, 'access', appIds.slice(from, from + addedAtOnce), at);
      if (from > 0) continue;
      for (const removal of added.slice(0, appsAtOnce)) {
        grantsRevoked += (await clear(tx, removal, rowsAtOnce)).grantsRevoked;
      }
    }
    return grantsRevoked;
  });
}

/** `Clearing` on an engine. */
export function clearing(db: Knex): Clearing {
  return {
    clearRemoved: (limit) =>
      together(db, async (tx) => {
        const oldest = tx('removals').orderBy('id').limit(1);
        const [removal]: Removal[] = await (isPostgres(tx) ? oldest.forUpdate().skipLocked() : oldest);
        return removal ? clear(tx, removal, limit) : null;
      }),
    findWaitingRemovals: async () => {
      const [found] = await db('removals').count({ count: '*' }).min({ since: 'removed_at' });
      return { count: Number(found?.['count']), since: found?.['since'] == null ? null : Number(found['since']) };
    },
  };
}
