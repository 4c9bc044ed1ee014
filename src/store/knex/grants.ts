import type { Knex } from 'knex';
import type { GrantRecord, GrantStore } from '../grants.ts';
import { assigned, concern, lost } from './assigned.ts';
import { atAccount } from './at-account.ts';
import type { HotVerbs } from './engine.ts';
import { fixedRead, readRow } from './fixed-reads.ts';
import { fixedWrite, writeRows } from './fixed-writes.ts';
import { listPage } from './list.ts';
import type { Listing } from './list-filters.ts';
import { filled } from './list-index.ts';
import * as rows from './rows.ts';
import type { DbRow } from './shape.ts';
import { single } from './single.ts';
import { unlinkedAt } from './unlinked.ts';

/**
 * The place of a live grant among those of its application and session, the newest first; 1 for any other grant. Grants
 * after the first place are superseded.
 */
const placeInSession = `case when revoked_at is null and sid is not null then
  row_number() over (partition by app_id, sid, case when revoked_at is null then 0 else 1 end order by id desc)
  else 1 end`;

/** Live grants first, superseded ones next, revoked ones last, each by their use. */
const lastUsedFirst = `order by case when revoked_at is not null then 2 when place_in_session > 1 then 1 else 0 end,
  coalesce(rotated_at, created_at) desc, id desc`;

const listing: Listing<GrantRecord> = {
  table: 'grants',
  id: 'id',
  columns: { id: filled('number', 'id'), app_id: filled('number', 'app_id') },
  read: rows.grants.read,
};

/** A condition: the grant is the user's, was neither revoked nor lost, and has not expired. */
function liveOfUser(accountId: number, userId: number, now: number): [sql: string, bindings: number[]] {
  const own = 'user_id = ? and revoked_at is null and idle_expires_at > ? and absolute_expires_at > ?';
  const [kept, keptOf] = atAccount(`not ${lost('grants')} and ${unlinkedAt('grants')} is null`, accountId, 'grants');
  return [`${own} and ${kept}`, [userId, now, now, ...keptOf]];
}

/** A grant of the user after skipping that many. */
const grantAtOffset = fixedRead(
  'grant-at-offset',
  'select id from grants where account_id = ? and user_id = ? limit 1 offset ?',
);

const [unlinked] = atAccount(unlinkedAt('grants'), 0, 'grants');
const [gone] = atAccount(lost('grants'), 0, 'grants');
/** A grant, and when it was lost. Its last parameter is the grant's id, each other one the account. */
const grantById = fixedRead(
  'grant-by-id',
  `select ${rows.grants.columns.join(', ')}, api_scopes,
    coalesce(${unlinked}, case when ${gone} then
      (select removed_at from removals where account_id = ? order by id desc limit 1) end) as lost_at
    from grants where account_id = ? and id = ?`,
);
const accountPlaces = grantById.text.split('?').length - 2;
const setFirstToken = fixedWrite(
  'grant-first-token',
  'update grants set current_digest = ? where account_id = ? and id = ? and current_digest is null',
);

type AccessTokenVerb =
  | 'addAccessToken'
  | 'addAccessTokens'
  | 'findAccessToken'
  | 'findAccessTokens'
  | 'revokeAccessToken';

function accessTokenVerbs(db: Knex, hot: HotVerbs): Pick<GrantStore, AccessTokenVerb> {
  const addAccessTokens: GrantStore['addAccessTokens'] = async (tokens) => {
    const added = tokens.map((token) => rows.accessTokens.write(token));
    const numbers = await hot.append(db, rows.accessTokens.table, 'id', added);
    return tokens.map((token, index) => ({ ...token, id: numbers[index] ?? Number.NaN }));
  };
  return {
    addAccessTokens,
    addAccessToken: single(addAccessTokens),
    findAccessTokens: (accountId, ids) => hot.findAccessTokens(db, accountId, ids),
    findAccessToken: async (accountId, id) => (await hot.findAccessTokens(db, accountId, [id]))[0] ?? null,
    revokeAccessToken: async (accountId, id, at) => {
      const token = db('access_tokens').where({ account_id: accountId, id });
      return (await token.whereNull('revoked_at').update({ revoked_at: at })) === 1;
    },
  };
}

export function grantVerbs(db: Knex, hot: HotVerbs): GrantStore {
  const consumeAll: GrantStore['consumeAll'] = async (batch) => (batch.length === 0 ? [] : hot.consumeAll(db, batch));
  const live = (accountId: number) => db('grants').where('account_id', accountId).whereNull('revoked_at');
  const liveOf = (accountId: number, userId: number, now: number) =>
    db('grants')
      .where('account_id', accountId)
      .whereRaw(...liveOfUser(accountId, userId, now));
  const one = async (accountId: number, id: number): Promise<DbRow | undefined> => {
    const accountIds = Array.from({ length: accountPlaces }, () => accountId);
    const row = await readRow(db, grantById, ...accountIds, id);
    // A grant whose access or API was lost counts as revoked before its row says so.
    return row && { ...row, revoked_at: row['revoked_at'] ?? row['lost_at'] ?? null };
  };
  return {
    ...accessTokenVerbs(db, hot),
    create: async ({ offlineAccess = false, apiScopes = null, ...grant }) => {
      const extent = { offline_access: offlineAccess ? 1 : 0, api_scopes: apiScopes && JSON.stringify(apiScopes) };
      const added = { ...rows.grants.write(grant), ...extent };
      const [id] = await hot.append(db, rows.grants.table, 'id', [added]);
      return rows.grants.read({ ...added, id });
    },
    find: async (accountId, id) => {
      const row = await one(accountId, id);
      return row ? rows.grants.read(row) : null;
    },
    findForApis: async (accountId, id) => {
      const row = await one(accountId, id);
      return row
        ? { ...rows.grants.read(row), apiScopes: row['api_scopes'] ? JSON.parse(String(row['api_scopes'])) : null }
        : null;
    },
    saveClaims: async (accountId, id, claims) => {
      await db('grant_claims').insert({ account_id: accountId, grant_id: id, claims: JSON.stringify(claims) });
    },
    findClaims: async (accountId, id) => (await hot.findGrantClaims(db, accountId, [id]))[0] ?? null,
    findClaimsOf: (accountId, ids) => hot.findGrantClaims(db, accountId, ids),
    setFirstToken: async (accountId, id, digest) => {
      await writeRows(db, setFirstToken, digest, accountId, id);
    },
    consumeAll,
    consume: single(consumeAll),
    revoke: async (accountId, id, at, because) => {
      const grant = live(accountId).where('id', id);
      return (await grant.update({ revoked_at: at, revoked_because: because })) === 1;
    },
    revokeOfUser: (accountId, userId, at, because) =>
      live(accountId).where('user_id', userId).update({ revoked_at: at, revoked_because: because }),
    revokeOfUserApp: (accountId, userId, appId, at, because) =>
      live(accountId).where({ user_id: userId, app_id: appId }).update({ revoked_at: at, revoked_because: because }),
    revokeOfSession: (accountId, userId, sid, at, because) =>
      live(accountId)
        .where({ user_id: userId, sid, offline_access: 0 })
        .update({ revoked_at: at, revoked_because: because }),
    hasOfSession: async (accountId, userId, sid, now) => {
      const held = live(accountId).where({ user_id: userId, sid, offline_access: 0 });
      const unexpired = held.where('idle_expires_at', '>', now).where('absolute_expires_at', '>', now);
      return (await unexpired.first('id')) !== undefined;
    },
    outliveSessions: async (accountId, userId) => {
      await live(accountId).where('user_id', userId).whereNotNull('sid').update({ sid: null });
    },
    revokeOfUserElsewhere: (accountId, userId, sid, at, because) =>
      live(accountId)
        .where('user_id', userId)
        .where((other) => other.whereNull('sid').orWhereNot('sid', sid))
        .update({ revoked_at: at, revoked_because: because }),
    makeRoom: async (accountId, { userId, appId }, { ofApp, ofUser, atOnce }) => {
      // A step in an index: who has fewer than either bound, as nearly all, is within both.
      if (!(await readRow(db, grantAtOffset, accountId, userId, Math.min(ofApp, ofUser) - 1))) return 0;
      const own = db('grants').where({ account_id: accountId, user_id: userId });
      const ranked = db
        .from(own.select('*', db.raw(`${placeInSession} as place_in_session`)).as('own'))
        .select('id', 'app_id', 'revoked_at', db.raw(`row_number() over (${lastUsedFirst}) as place`))
        .select(db.raw(`row_number() over (partition by app_id ${lastUsedFirst}) as place_in_app`));
      const beyond = db.select('id', 'revoked_at').from(ranked.as('ranked')).where('place', '>=', ofUser);
      beyond.orWhere((one) => one.where('app_id', appId).where('place_in_app', '>=', ofApp));
      const gone: { id: number; revoked_at: number | null }[] = await beyond.orderBy('place', 'desc').limit(atOnce);
      const ids = gone.map(({ id }) => id);
      if (ids.length > 0) await db('grants').where('account_id', accountId).whereIn('id', ids).delete();
      return gone.filter(({ revoked_at }) => revoked_at === null).length;
    },
    listLive: async (accountId, userId, now) =>
      (await liveOf(accountId, userId, now).orderBy('id')).map(rows.grants.read),
    findLive: async (accountId, userId, id, now) => {
      const row = await liveOf(accountId, userId, now).where('id', id).first();
      return row ? rows.grants.read(row) : null;
    },
    pageLive: (accountId, userId, now, query) =>
      listPage(db, { ...listing, only: liveOfUser(accountId, userId, now) }, accountId, query),
    revokeUnassigned: (accountId, loss, at) =>
      concern(live(accountId), loss)
        .whereRaw(...atAccount(`not ${assigned('grants')}`, accountId, 'grants'))
        .update({ revoked_at: at, revoked_because: 'access_not_assigned' }),
  };
}
