import type { Knex } from 'knex';
import type { SessionRecord, SessionStore } from '../sessions.ts';
import type { HotVerbs } from './engine.ts';
import { fixedRead, fixedSelect, readRow, readRows } from './fixed-reads.ts';
import { listPage } from './list.ts';
import type { Listing } from './list-filters.ts';
import { filled } from './list-index.ts';
import * as rows from './rows.ts';

const listing: Listing<SessionRecord> = {
  table: 'sessions',
  id: 'id',
  columns: { id: filled('number', 'id') },
  read: rows.sessions.read,
};

const byDigest = fixedSelect(rows.sessions, 'session-by-digest', 'account_id = ? and digest = ?');
const bySid = fixedSelect(rows.sessions, 'session-by-sid', 'account_id = ? and user_id = ? and sid = ?');
const usedFor = fixedRead(
  'session-used-for',
  'select app_id from session_apps where account_id = ? and sid = ? and app_id = ?',
);

const ofUser = fixedSelect(
  rows.sessions,
  'sessions-of-user',
  'account_id = ? and user_id = ? order by last_seen_at desc, id desc limit ? offset ?',
);

export function sessionVerbs(db: Knex, { append }: Pick<HotVerbs, 'append'>): SessionStore {
  return {
    create: async ({ source = null, userAgent = null, ...session }) => {
      const added = rows.sessions.write({ ...session, source, userAgent });
      const [id] = await append(db, rows.sessions.table, 'id', [added]);
      return rows.sessions.read({ ...added, id });
    },
    find: async (accountId, digest) => {
      const row = await readRow(db, byDigest, accountId, digest);
      return row ? rows.sessions.read(row) : null;
    },
    touch: async (accountId, id, lastSeenAt) => {
      await db('sessions').where({ account_id: accountId, id }).update({ last_seen_at: lastSeenAt });
    },
    noteUse: async ({ accountId, sid, expiresAt }, appId) => {
      const use = { account_id: accountId, sid, app_id: appId, expires_at: expiresAt };
      await db('session_apps').insert(use).onConflict(['account_id', 'sid', 'app_id']).ignore();
    },
    isUsedFor: async (accountId, sid, appId) => (await readRow(db, usedFor, accountId, sid, appId)) !== undefined,
    forgetUses: async (accountId, sid) => {
      await db('session_apps').where({ account_id: accountId, sid }).delete();
    },
    renew: async ({ accountId, id, ...session }) => {
      const renewed = db('sessions').where({ account_id: accountId, id });
      return (await renewed.update(rows.sessions.write(session))) === 1;
    },
    end: async (accountId, userId, sid) => {
      return (await db('sessions').where({ account_id: accountId, user_id: userId, sid }).delete()) > 0;
    },
    findByName: async (accountId, userId, sid) => {
      const row = await readRow(db, bySid, accountId, userId, sid);
      return row ? rows.sessions.read(row) : null;
    },
    findOfUser: async (accountId, userId, id) => {
      const row = await db('sessions').where({ account_id: accountId, user_id: userId, id }).first();
      return row ? rows.sessions.read(row) : null;
    },
    pageOfUser: (accountId, userId, now, query) => {
      const live = 'user_id = ? and expires_at > ? and last_seen_at + idle_milliseconds > ?';
      return listPage(db, { ...listing, only: [live, [userId, now, now]] }, accountId, query);
    },
    listUses: async (accountId, userId, sids) => {
      const named = (table: string) => db(table).where('account_id', accountId).whereIn('sid', sids);
      const granted = named('grants').where('user_id', userId).select('sid', 'app_id');
      const used = named('session_apps').select('sid', 'app_id');
      const found: { sid: string; app_id: number }[] = await granted.union(used).orderBy(['sid', 'app_id']);
      return found.map(({ sid, app_id }) => ({ sid, appId: app_id }));
    },
    endOfUser: async (accountId, userId, except) => {
      const ended = db('sessions').where({ account_id: accountId, user_id: userId });
      if (except !== undefined) ended.whereNot('sid', except);
      await ended.delete();
    },
    listOfUser: async (accountId, userId, limit, passingOver = 0) =>
      (await readRows(db, ofUser, accountId, userId, limit, passingOver)).map(rows.sessions.read),
  };
}
