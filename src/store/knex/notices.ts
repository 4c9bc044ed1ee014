import type { Knex } from 'knex';
import type { EndedSessions, NoticeStore } from '../store.ts';
import { claimDue } from './claim-due.ts';
import { logoutNotices } from './client-rows.ts';
import { present } from './removed.ts';

/** As many as one statement tells: their subjects are values of it. */
const clientsAtOnce = 100;

/** Grants of a user that were made in sessions that end. */
function grantsOf(db: Knex, accountId: number, ended: EndedSessions, at: number): Knex.QueryBuilder {
  const ofUser = { account_id: accountId, user_id: ended.userId };
  const grants = db('grants as g').where({ 'g.account_id': accountId, 'g.user_id': ended.userId });
  if ('sid' in ended) return grants.where('g.sid', ended.sid);
  const open = db('sessions').select('sid').where(ofUser);
  // A grant may have outlived the session that it began in.
  const live = db('grants').select('sid').where(ofUser).whereNull('revoked_at');
  live.where('idle_expires_at', '>', at).where('absolute_expires_at', '>', at);
  grants.where((one) => one.whereIn('g.sid', open).orWhereIn('g.sid', live));
  return ended.except === null ? grants : grants.whereNot('g.sid', ended.except);
}

/** A client that got tokens in such sessions, and in how many. */
interface TokenClient {
  readonly app_id: number;
  readonly extra: string;
  readonly sector: string | null;
  readonly sessions: number | string;
}

async function clientsOf(db: Knex, grants: Knex.QueryBuilder): Promise<TokenClient[]> {
  const clients = grants.clone().join('clients as c', { 'c.account_id': 'g.account_id', 'c.app_id': 'g.app_id' });
  clients.whereRaw(present('app', 'c', 'app_id'));
  const columns = ['c.app_id', 'c.extra', 'c.sector'];
  return clients.groupBy(columns).select(...columns, db.raw('count(distinct g.sid) as sessions'));
}

/** One notice for each of the clients and each of its sessions. */
async function tell(
  db: Knex,
  accountId: number,
  grants: Knex.QueryBuilder,
  subjects: readonly (readonly [appId: number, subject: string])[],
  at: number,
): Promise<void> {
  const pairs = grants.clone().distinct('g.app_id', 'g.sid').toSQL();
  const values = subjects.map(() => '(cast(? as bigint), cast(? as text))').join(', ');
  await db.raw(
    `with told (app_id, subject) as (values ${values}), ended as (${pairs.sql})
     insert into logout_notices (account_id, app_id, subject, sid, attempts, due_at)
     select cast(? as bigint), told.app_id, told.subject, ended.sid, 0, cast(? as bigint)
     from ended join told on told.app_id = ended.app_id`,
    [...subjects.flat(), ...pairs.bindings, accountId, at],
  );
}

export function noticeVerbs(db: Knex): NoticeStore {
  const one = (accountId: number, id: number) => db('logout_notices').where({ account_id: accountId, id });
  return {
    addForSessions: async (accountId, ended, subjectFor, at) => {
      const grants = grantsOf(db, accountId, ended, at);
      const clients = await clientsOf(db, grants);
      // Which clients want to be told stands in their metadata, which the database does not look into.
      const told = clients.filter(({ extra }) => JSON.parse(extra).backchannel_logout_uri !== undefined);
      const subjects = told.map(({ app_id, sector }) => [app_id, subjectFor({ sector })] as const);
      for (let from = 0; from < subjects.length; from += clientsAtOnce) {
        await tell(db, accountId, grants, subjects.slice(from, from + clientsAtOnce), at);
      }
      return told.reduce((sum, { sessions }) => sum + Number(sessions), 0);
    },
    claim: async (now, until, limit, except = []) => {
      const claimed = await claimDue(db, 'logout_notices', { now, until, limit, except });
      return claimed.map(logoutNotices.read);
    },
    postpone: async (accountId, id, dueAt) => {
      await one(accountId, id).update({ due_at: dueAt });
    },
    remove: async (accountId, id) => (await one(accountId, id).delete()) === 1,
  };
}
