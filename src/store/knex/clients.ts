import type { Knex } from 'knex';
import type { ClientRecord } from '../records.ts';
import type { ClientStore } from '../store.ts';
import type { HotVerbs } from './engine.ts';
import { type Listing, listPage } from './list.ts';
import { filled } from './list-index.ts';
import * as rows from './rows.ts';
import type { DbRow } from './shape.ts';
import { separately } from './transact.ts';

/** One row in every case: the time of a search must not tell whether there is such a client. */
const findClient =
  'select c.* from (select 1 as one) as one left join clients as c on c.account_id = ? and c.client_id = ?';

/** Read where there is no client, for the same reason. */
const decoy: DbRow = {
  ...rows.clients.write({
    accountId: 0,
    clientId: '0'.repeat(32),
    secretDigest: '0'.repeat(43),
    name: 'no client',
    applicationType: 'web',
    redirectUris: ['https://client.example.com/callback'],
    postLogoutRedirectUris: [],
    grantTypes: ['authorization_code', 'refresh_token'],
    responseTypes: ['code'],
    authMethod: 'client_secret_basic',
    authMethodNamed: true,
    subjectType: 'public',
    idTokenAlg: 'RS256',
    scope: [],
    extra: {},
    registeredBy: 'token',
    policyId: null,
    createdAt: 0,
    linkedServers: 0,
  }),
  app_id: 0,
};

const appListing: Listing<ClientRecord> = {
  table: 'clients',
  id: 'app_id',
  columns: { id: filled('number', 'app_id'), name: filled('text', 'name') },
  within: {
    user: (_db, accountId, { values: [userId = 0] }) => [
      `select app_id from app_users where account_id = ? and user_id = ? union
        select ar.app_id from role_users ru join app_roles ar on ar.account_id = ru.account_id and ar.role_id = ru.role_id
        where ru.account_id = ? and ru.user_id = ?`,
      [accountId, userId, accountId, userId],
    ],
  },
  read: rows.clients.read,
};

export function clientVerbs(db: Knex, { append }: HotVerbs): ClientStore {
  const registerAll: ClientStore['registerAll'] = async (registrations) => {
    const added = registrations.map(({ client }) => rows.clients.write(client));
    const numbers = await append(db, rows.clients.table, 'app_id', added, (appIds) =>
      registrations.map(({ eventOf }, index) => eventOf(appIds[index] ?? Number.NaN)),
    );
    return registrations.map(({ client }, index) => ({
      policyId: null,
      ...client,
      appId: numbers[index] ?? Number.NaN,
      linkedServers: 0,
    }));
  };
  return {
    registerAll,
    register: async (registration) => {
      const [registered] = await registerAll([registration]);
      if (!registered) throw new Error('a client was not added');
      return registered;
    },
    create: (client) =>
      separately(db, async (tx) => {
        const [row] = await tx('clients').insert(rows.clients.write(client)).returning('*');
        return rows.clients.read(row);
      }),
    find: async (accountId, clientId) => {
      // SQLite answers the rows, PostgreSQL an object that holds them.
      const answer: DbRow[] | { rows: DbRow[] } = await db.raw(findClient, [accountId, clientId]);
      const [row] = Array.isArray(answer) ? answer : answer.rows;
      const found = row?.['client_id'] != null;
      const client = rows.clients.read(found ? row : decoy);
      return found ? client : null;
    },
    findByApp: async (accountId, appId) => {
      const row = await db('clients').where({ account_id: accountId, app_id: appId }).first();
      return row ? rows.clients.read(row) : null;
    },
    pageOfUser: (accountId, userId, query) => {
      const usable = {
        ...query,
        filters: [...query.filters, { field: 'user', test: 'is' as const, values: [userId] }],
      };
      return listPage(db, appListing, accountId, usable);
    },
    replaceSecret: async (accountId, appId, secretDigest) => {
      const client = db('clients').where({ account_id: accountId, app_id: appId });
      return (await client.update({ secret_digest: secretDigest })) === 1;
    },
    remove: async (accountId, appId) =>
      (await db('clients').where({ account_id: accountId, app_id: appId }).delete()) === 1,
  };
}
