/** Looks into the database itself, past the service, for what only a part of a change could have left behind. */

import Sqlite from 'better-sqlite3';
import pg from 'pg';

/** Tokens that were returned instead of a code: there is no code and no refresh token. */
const byCode = `not exists (select 1 from events as e where e.account_id = g.account_id and e.action = 'grant.issued'
      and e.target_id = g.id and e.detail like '%"implicit"%')`;

/** Each counts rows that no whole change leaves; the texts mean the same on both databases. */
const traces = {
  'accounts without signing keys': `select count(*) from accounts as a
    where not exists (select 1 from signing_keys as k where k.account_id = a.id)`,
  'apps of open registration without the roles of the account': `select count(*) from clients as c
    where c.registered_by = 'open' and not exists
      (select 1 from app_roles as r where r.account_id = c.account_id and r.app_id = c.app_id)
    and exists (select 1 from accounts as a where a.id = c.account_id and a.settings like '%open_registration_roles%')`,
  'grants without a refresh token': `select count(*) from grants as g
    join clients as c on c.account_id = g.account_id and c.app_id = g.app_id
    where g.current_digest is null and c.grant_types like '%refresh_token%' and ${byCode}`,
  'grants rotated in part': `select count(*) from grants as g
    where (g.generation = 0) <> (g.previous_digest is null) or (g.generation = 0) <> (g.successor_salt is null)
    or (g.generation = 0) <> (g.rotated_at is null)`,
  'rotations without an access token': `select count(*) from grants as g
    left join (select account_id, grant_id, count(*) as made from access_tokens group by account_id, grant_id) as t
    on t.account_id = g.account_id and t.grant_id = g.id where g.generation + 1 > coalesce(t.made, 0)`,
  'access tokens without their grant, client or user': `select count(*) from access_tokens as t
    where not exists (select 1 from clients as c where c.account_id = t.account_id and c.app_id = t.app_id)
    or t.grant_id is not null and not exists (select 1 from grants as g where g.account_id = t.account_id
      and g.id = t.grant_id and g.app_id = t.app_id and g.user_id = t.user_id)`,
  'codes used in part': 'select count(*) from codes where (used_at is null) <> (grant_id is null)',
  'grants that no code led to': `select count(*) from grants as g where g.sid is not null and not exists
    (select 1 from codes as c where c.account_id = g.account_id and c.grant_id = g.id) and ${byCode}`,
  'grants revoked in part': 'select count(*) from grants where (revoked_at is null) <> (revoked_because is null)',
  'families ended for reuse without an event in the trail': `select count(*) from grants as g
    where g.revoked_because = 'refresh_token_reused' and not exists (select 1 from events as e
      where e.account_id = g.account_id and e.action = 'refresh.reused' and e.target_id = g.id)`,
  'sign-ins without a session': `select count(*) from authorization_requests as r
    where r.decided_by is not null and not exists
      (select 1 from sessions as s where s.account_id = r.account_id and s.user_id = r.decided_by)`,
  'hooks without their current version': `select count(*) from hooks as h where not exists
    (select 1 from hook_versions as v where v.account_id = h.account_id and v.hook_id = h.id and v.version = h.version)`,
  'hooks without an event in the trail': `select count(*) from hooks as h where not exists (select 1 from events as e
    where e.account_id = h.account_id and e.action = 'hook.created' and e.target_id = h.id)`,
  'refusals by hooks without an event in the trail': `select count(*) from hook_executions as x
    where x.outcome = 'refused' and not exists (select 1 from events as e where e.account_id = x.account_id
      and e.action = 'hook.sign_in_refused' and e.request_id = x.correlation_id)`,
  'ends of hooks without a record of the run': `select count(*) from events as e
    where e.action in ('hook.failed', 'hook.policy_chosen', 'hook.sign_in_refused') and not exists
      (select 1 from hook_executions as x where x.account_id = e.account_id and x.correlation_id = e.request_id)`,
} as const;

/** What must be there once in an account. */
const doubles = {
  'refresh tokens': ['grants', 'current_digest'],
  'access tokens': ['access_tokens', 'digest'],
  'tokens of credentials': ['credential_tokens', 'digest'],
  'grants of one code': ['codes', 'grant_id'],
  clients: ['clients', 'client_id'],
  sessions: ['sessions', 'digest'],
  'runs of hooks': ['hook_executions', 'request_id'],
} as const;

/** Asks for one number. */
type Ask = (text: string) => Promise<number>;

export interface DatabaseFaults {
  /** One sentence for each kind that there is any of. */
  readonly halfApplied: readonly string[];
  readonly doubled: readonly string[];
  /** What the database says of itself; empty when it has nothing to complain of. */
  readonly damage: readonly string[];
}

/** Reads the database at the URL; meant for one in which nothing was deleted and no token has expired. */
export async function findDatabaseFaults(url: string): Promise<DatabaseFaults> {
  return url.startsWith('sqlite:') ? inSqlite(url.slice('sqlite:'.length)) : inPostgres(url);
}

async function inSqlite(file: string): Promise<DatabaseFaults> {
  const database = new Sqlite(file, { readonly: true });
  try {
    const complaints = database.prepare('pragma integrity_check').pluck().all() as string[];
    const broken = database.prepare('pragma foreign_key_check').all();
    const damage = complaints.filter((complaint) => complaint !== 'ok');
    if (broken.length > 0) damage.push(`${broken.length} foreign keys point nowhere`);
    return { ...(await look(async (text) => Number(database.prepare(text).pluck().get()))), damage };
  } finally {
    database.close();
  }
}

async function inPostgres(url: string): Promise<DatabaseFaults> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // It keeps foreign keys and unique keys by itself and has no check of its files that a client could ask for.
    return { ...(await look(async (text) => Number((await client.query(text)).rows[0].count))), damage: [] };
  } finally {
    await client.end();
  }
}

async function look(ask: Ask): Promise<Omit<DatabaseFaults, 'damage'>> {
  const halfApplied: string[] = [];
  for (const [name, text] of Object.entries(traces)) {
    const count = await ask(text);
    if (count > 0) halfApplied.push(`${count} ${name}`);
  }
  const doubled: string[] = [];
  for (const [name, [table, column]] of Object.entries(doubles)) {
    const count = await ask(`select count(*) from (select 1 as one from ${table} where ${column} is not null
      group by account_id, ${column} having count(*) > 1) as repeated`);
    if (count > 0) doubled.push(`${count} ${name}`);
  }
  return { halfApplied, doubled };
}
