import type { Knex } from 'knex';
import type { ClientRecord, ClientStore, DetailedClient, NewClient } from '../clients.ts';
import type { ListQuery } from '../listing.ts';
import { chunks } from './chunks.ts';
import { unusedSince } from './client-uses.ts';
import { ensureDocument } from './document-clients.ts';
import type { HotVerbs } from './engine.ts';
import { fixedRead, fixedSelect, readRow } from './fixed-reads.ts';
import { lockPresent } from './hold.ts';
import { listPage } from './list.ts';
import type { Listing } from './list-filters.ts';
import { filled } from './list-index.ts';
import { sweepOpen } from './open-clients.ts';
import { remove } from './removals.ts';
import { present } from './removed.ts';
import * as rows from './rows.ts';
import type { Cell, DbRow } from './shape.ts';
import { single } from './single.ts';
import { separately } from './transact.ts';

/** Always returns one row: the time of the lookup must not reveal whether the client exists. */
const byClientId = fixedRead(
  'client-by-client-id',
  `select ${rows.clients.columns.map((column) => `c.${column}`).join(', ')}
    from (select 1 as one) as one left join clients as c on c.account_id = ? and c.client_id = ? and ${present('app', 'c', 'app_id')}`,
);
const byAppId = fixedSelect(
  rows.clients,
  'client-by-app-id',
  `account_id = ? and app_id = ? and ${present('app', 'clients', 'app_id')}`,
);

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
    sector: null,
    idTokenAlg: 'RS256',
    scope: [],
    extra: {},
    registeredBy: 'token',
    policyId: null,
    createdAt: 0,
    linkedServers: 0,
    usesOpenServers: false,
  }),
  app_id: 0,
  previous_secret_digest: null,
  previous_secret_expires_at: null,
};

function readDetailed(row: DbRow): DetailedClient {
  return { ...rows.clients.read(row), ...rows.appDetails.read(row) };
}

/** A client that is created is unchanged since. */
function writeNew(client: NewClient): Record<string, Cell> {
  return {
    ...rows.clients.write(client),
    ...rows.clientOwnership.write(client),
    ...rows.appDetails.write({ updatedAt: client.createdAt }),
  };
}

const appListing: Listing<DetailedClient> = {
  table: 'clients',
  id: 'app_id',
  removable: 'app',
  columns: {
    id: filled('number', 'app_id'),
    name: filled('text', 'name'),
    connector_id: filled('number', 'connector_id'),
    visible: filled('number', 'visible'),
    created_at: filled('number', 'created_at'),
    updated_at: filled('number', 'updated_at'),
  },
  linked: {
    role: [{ table: 'app_roles', column: 'app_id', by: 'role_id' }],
    user: [
      { table: 'app_users', column: 'app_id', by: 'user_id' },
      { table: 'app_roles', column: 'app_id', by: 'role_id', through: { table: 'role_users', by: 'user_id' } },
    ],
  },
  conditions: { unused_since: unusedSince },
  within: {
    client_id: (_db, accountId, { values: [clientId = ''] }) => [
      `select app_id from clients where account_id = ? and client_id = ? and ${present('app', 'clients', 'app_id')}`,
      [accountId, clientId],
    ],
  },
  read: readDetailed,
};

const noFormerSecret = { previousSecretDigest: null, previousSecretExpiresAt: null } as const;
const noLifetimes = { accessTokenMinutes: null, refreshTokenMinutes: null } as const;

/** The same query restricted to one user or role. */
function of(query: ListQuery, field: 'user' | 'role', id: number): ListQuery {
  return { ...query, filters: [...query.filters, { field, test: 'is', values: [id] }] };
}

export function clientVerbs(db: Knex, { append }: HotVerbs): ClientStore {
  const one = (accountId: number, appId: number) =>
    db('clients')
      .where({ account_id: accountId, app_id: appId })
      .whereRaw(present('app', 'clients', 'app_id'));
  const registerAll: ClientStore['registerAll'] = async (registrations) => {
    const added = registrations.map(({ client }) => writeNew(client));
    const numbers = await append(db, rows.clients.table, 'app_id', added, (appIds) =>
      registrations.map(({ eventOf }, index) => eventOf(appIds[index] ?? Number.NaN)),
    );
    return registrations.map(({ client: { registrationTokenDigest: _, ...client } }, index) => ({
      policyId: null,
      ...client,
      ...noFormerSecret,
      ...noLifetimes,
      appId: numbers[index] ?? Number.NaN,
      linkedServers: 0,
      usesOpenServers: false,
    }));
  };
  return {
    registerAll,
    register: single(registerAll),
    create: (client) =>
      separately(db, async (tx) => {
        const [row] = await tx('clients').insert(writeNew(client)).returning('*');
        return rows.clients.read(row);
      }),
    ensureDocument: (client, most) => ensureDocument(db, client, writeNew(client), most),
    find: async (accountId, clientId) => {
      const row = await readRow(db, byClientId, accountId, clientId);
      const found = row?.['client_id'] != null;
      const client = rows.clients.read(found ? row : decoy);
      return found ? client : null;
    },
    findByApp: async (accountId, appId) => {
      const row = await readRow(db, byAppId, accountId, appId);
      return row ? rows.clients.read(row) : null;
    },
    findByApps: async (accountId, appIds) => {
      const found: ClientRecord[] = [];
      for await (const some of chunks(appIds)) {
        const those = db('clients').where('account_id', accountId).whereIn('app_id', some);
        found.push(...(await those.whereRaw(present('app', 'clients', 'app_id'))).map(rows.clients.read));
      }
      return found;
    },
    findOwner: async (accountId, clientId, registrationTokenDigest) => {
      const key = { account_id: accountId, client_id: clientId, registration_token_digest: registrationTokenDigest };
      const row = await db('clients')
        .where(key)
        .whereRaw(present('app', 'clients', 'app_id'))
        .first();
      return row ? rows.clients.read(row) : null;
    },
    sweepOpen: (after, limit) => sweepOpen(db, after, limit),
    findApp: async (accountId, appId) => {
      const row = await one(accountId, appId).first();
      return row ? readDetailed(row) : null;
    },
    useAssertion: async (assertion) => {
      const used = db('client_assertions').insert(rows.clientAssertions.write(assertion)).onConflict().ignore();
      return (await used.returning('app_id')).length === 1;
    },
    pageApps: (accountId, query) => listPage(db, appListing, accountId, query),
    update: async (accountId, appId, changes) => {
      const row = { ...rows.clients.write(changes), ...rows.appDetails.write(changes) };
      if (!(await lockPresent(db, accountId, 'app', appId))) return false;
      return (await one(accountId, appId).update(row)) === 1;
    },
    pageOfUser: (accountId, userId, query) => listPage(db, appListing, accountId, of(query, 'user', userId)),
    pageOfRole: (accountId, roleId, query) => listPage(db, appListing, accountId, of(query, 'role', roleId)),
    replaceSecret: async (accountId, appId, secretDigest, previousUntil = null) => {
      if (!(await lockPresent(db, accountId, 'app', appId))) return false;
      return (
        (await one(accountId, appId).update({
          secret_digest: secretDigest,
          // The right side of an assignment has the old values.
          previous_secret_digest: previousUntil === null ? null : db.ref('secret_digest'),
          previous_secret_expires_at: previousUntil,
        })) === 1
      );
    },
    remove: (accountId, appId, at) => remove(db, 'app', accountId, appId, at),
  };
}
