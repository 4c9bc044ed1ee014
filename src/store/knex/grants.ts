import type { Knex } from 'knex';
import type { AccessTokenStanding, Consumption, ConsumptionOutcome, GrantStore } from '../store.ts';
import { assigned } from './roles.ts';
import * as rows from './rows.ts';
import type { DbRow } from './shape.ts';

/** How an engine consumes a batch, on `db` or in the transaction that `db` is. */
export type Consume = (db: Knex, batch: readonly Consumption[]) => Promise<ConsumptionOutcome[]>;

const readToken = rows.accessTokens.reader('token_');
const readGrant = rows.grants.reader('grant_');
const readUser = rows.users.reader('user_');
const readClient = rows.clients.reader('client_');

function standing(row: DbRow): AccessTokenStanding | null {
  const token = readToken(row);
  const grant = row['grant_id'] === null ? null : readGrant(row);
  const user = row['user_id'] === null ? null : readUser(row);
  // The token of a grant, or of a user, that was removed is no token any more.
  if ((token.grantId !== null && !grant) || (token.userId !== null && !user)) return null;
  return { token, grant, user, client: readClient(row), assigned: row['assigned'] === 1 };
}

type AccessTokenVerb = 'addAccessToken' | 'findAccessToken' | 'revokeAccessToken';

function accessTokenVerbs(db: Knex): Pick<GrantStore, AccessTokenVerb> {
  return {
    addAccessToken: async (token) => {
      const [row] = await db('access_tokens').insert(rows.accessTokens.write(token)).returning('*');
      return rows.accessTokens.read(row);
    },
    findAccessToken: async (accountId, id) => {
      const row = await db('access_tokens as t')
        .join('clients as c', { 'c.account_id': 't.account_id', 'c.app_id': 't.app_id' })
        .leftJoin('grants as g', { 'g.account_id': 't.account_id', 'g.id': 't.grant_id' })
        .leftJoin('users as u', { 'u.account_id': 't.account_id', 'u.id': 't.user_id' })
        .where({ 't.account_id': accountId, 't.id': id })
        .first([
          ...rows.accessTokens.select('t', 'token_'),
          ...rows.grants.select('g', 'grant_'),
          ...rows.users.select('u', 'user_'),
          ...rows.clients.select('c', 'client_'),
          db.raw(`case when ${assigned('t')} then 1 else 0 end as assigned`),
        ]);
      return row ? standing(row) : null;
    },
    revokeAccessToken: async (accountId, id, at) => {
      const token = db('access_tokens').where({ account_id: accountId, id });
      await token.whereNull('revoked_at').update({ revoked_at: at });
    },
  };
}

export function grantVerbs(db: Knex, consume: Consume): GrantStore {
  const live = (accountId: number) => db('grants').where('account_id', accountId).whereNull('revoked_at');
  return {
    ...accessTokenVerbs(db),
    create: async (grant) => {
      const [row] = await db('grants').insert(rows.grants.write(grant)).returning('*');
      return rows.grants.read(row);
    },
    find: async (accountId, id) => {
      const row = await db('grants').where({ account_id: accountId, id }).first();
      return row ? rows.grants.read(row) : null;
    },
    setFirstToken: async (accountId, id, digest) => {
      const grant = db('grants').where({ account_id: accountId, id });
      await grant.whereNull('current_digest').update({ current_digest: digest });
    },
    consume: async (batch) => (batch.length === 0 ? [] : consume(db, batch)),
    revoke: async (accountId, id, at, because) => {
      await live(accountId).where('id', id).update({ revoked_at: at, revoked_because: because });
    },
    revokeOfUser: (accountId, userId, at, because) =>
      live(accountId).where('user_id', userId).update({ revoked_at: at, revoked_because: because }),
    revokeUnassigned: (accountId, appId, at) => {
      const candidates = live(accountId).whereRaw(`not ${assigned('grants')}`);
      if (appId !== null) candidates.where('app_id', appId);
      return candidates.update({ revoked_at: at, revoked_because: 'access_not_assigned' });
    },
  };
}
