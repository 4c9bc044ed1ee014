import type { Knex } from 'knex';
import type { EndedSessions, NoticeStore } from '../notices.ts';
import { claimDue } from './claim-due.ts';
import { logoutNotices } from './client-rows.ts';
import { present } from './removed.ts';

/** Clients per statement, because their subjects are bound values. */
const clientsAtOnce = 100;

/** Grants of a user that were made in the ending sessions. */
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

/** A client with tokens from such sessions, and their number. */
interface TokenClient {
  readonly app_id: number;
  readonly extra: string;
  readonly sector: string | null;
  readonly registered_by: string;
  readonly sessions: number | string;
}

/** What the notices to one client have in common. */
type Told = readonly [appId: number, subject: string, host: string, registeredBy: string];

async function clientsOf(db: Knex, grants: Knex.QueryBuilder): Promise<TokenClient[]> {
  const clients = grants.clone().join('clients as c', { 'c.account_id': 'g.account_id', 'c.app_id': 'g.app_id' });
  clients.whereRaw(present('app', 'c', 'app_id'));
  const columns = ['c.app_id', 'c.extra', 'c.sector', 'c.registered_by'];
  return clients.groupBy(columns).select(...columns, db.raw('count(distinct g.sid) as sessions'));
}

/** One notice for each client and session. */
async function tell(
  db: Knex,
  accountId: number,
  grants: Knex.QueryBuilder,
  told: readonly Told[],
  at: number,
): Promise<void> {
  const pairs = grants.clone().distinct('g.app_id', 'g.sid').toSQL();
  const values = told.map(() => '(cast(? as bigint), cast(? as text), cast(? as text), cast(? as text))').join(', ');
  await db.raw(
    `with told (app_id, subject, host, registered_by) as (values ${values}), ended as (${pairs.sql})
     insert into logout_notices (account_id, app_id, subject, host, registered_by, sid, attempts, due_at)
     select cast(? as bigint), told.app_id, told.subject, told.host, told.registered_by, ended.sid, 0, cast(? as bigint)
     from ended join told on told.app_id = ended.app_id`,
    [...told.flat(), ...pairs.bindings, accountId, at],
  );
}

export function noticeVerbs(db: Knex): NoticeStore {
  const one = (accountId: number, id: number) => db('logout_notices').where({ account_id: accountId, id });
  return {
    addForSessions: async (accountId, ended, subjectFor, at) => {
      const grants = grantsOf(db, accountId, ended, at);
      const clients = await clientsOf(db, grants);
      // Whether a client wants notices is in its metadata, which the database does not read.
      const told: Told[] = [];
      let count = 0;
      for (const { app_id, extra, sector, registered_by, sessions } of clients) {
        const uri: string | undefined = JSON.parse(extra).backchannel_logout_uri;
        if (uri === undefined) continue;
        told.push([app_id, subjectFor({ sector }), URL.parse(uri)?.host ?? '', registered_by]);
        count += Number(sessions);
      }
      for (let from = 0; from < told.length; from += clientsAtOnce) {
        await tell(db, accountId, grants, told.slice(from, from + clientsAtOnce), at);
      }
      return count;
    },
    claim: async (now, until, limit, except = { accounts: [], clients: [], hosts: [], openOf: [] }) => {
      const { accounts, clients, hosts, openOf } = except;
      const apps = clients.map(({ accountId, appId }) => [accountId, appId]);
      const places = hosts.map(({ accountId, host, registeredBy }) => [accountId, host, registeredBy]);
      const claimed = await claimDue(db, 'logout_notices', { now, until, limit, except: accounts }, (due) => {
        due.whereNotIn(['account_id', 'app_id'], apps).whereNotIn(['account_id', 'host', 'registered_by'], places);
        due.whereNot((one) => one.whereIn('account_id', openOf).where('registered_by', 'open'));
      });
      return claimed.map(logoutNotices.read);
    },
    postpone: async (accountId, id, dueAt) => {
      await one(accountId, id).update({ due_at: dueAt });
    },
    remove: async (accountId, id) => (await one(accountId, id).delete()) === 1,
  };
}
