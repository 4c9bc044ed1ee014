import type { Knex } from 'knex';
import type { ApiKeyRecord, CallerStore, CredentialRecord } from '../callers.ts';
import type { ListQuery } from '../listing.ts';
import { dialectOf } from './dialect.ts';
import type { HotVerbs } from './engine.ts';
import { fixedSelect, readRow } from './fixed-reads.ts';
import { listPage } from './list.ts';
import type { Listing } from './list-filters.ts';
import { filled, number } from './list-index.ts';
import * as rows from './rows.ts';
import { separately } from './transact.ts';

type CredentialVerb =
  | 'createCredential'
  | 'findCredential'
  | 'listCredentials'
  | 'pageCredentials'
  | 'revokeCredential'
  | 'revokeCredentialById';
type TokenVerb = 'addToken' | 'findToken' | 'findTokens' | 'revokeToken';

const credentialListing: Listing<CredentialRecord> = {
  table: 'credentials',
  id: 'id',
  columns: { id: filled('number', 'id'), client_id: filled('text', 'client_id'), revoked_at: number('revoked_at') },
  read: rows.credentials.read,
};

const apiKeyListing: Listing<ApiKeyRecord> = {
  table: 'api_keys',
  id: 'id',
  columns: { id: filled('number', 'id'), name: filled('text', 'name'), revoked_at: number('revoked_at') },
  read: rows.apiKeys.read,
};

/** The same query restricted to active rows: an unset time counts as -1. */
function live(query: ListQuery): ListQuery {
  return { ...query, filters: [...query.filters, { field: 'revoked_at', test: 'is', values: [-1] }] };
}

/** Callers of an account are made one at a time, so that whoever counts them counts all. */
async function holdAccount(tx: Knex, accountId: number): Promise<void> {
  await dialectOf(tx).lock(() => tx('accounts').where('id', accountId).select('id'), 'forNoKeyUpdate');
}

function credentialVerbs(db: Knex): Pick<CallerStore, CredentialVerb> {
  return {
    createCredential: (credential) =>
      separately(db, async (tx) => {
        await holdAccount(tx, credential.accountId);
        const [row] = await tx('credentials').insert(rows.credentials.write(credential)).returning('*');
        return rows.credentials.read(row);
      }),
    findCredential: async (accountId, clientId) => {
      const row = await db('credentials').where({ account_id: accountId, client_id: clientId }).first();
      return row ? rows.credentials.read(row) : null;
    },
    listCredentials: async (accountId) => {
      const found = await db('credentials').where('account_id', accountId).orderBy('id');
      return found.map(rows.credentials.read);
    },
    pageCredentials: (accountId, query) => listPage(db, credentialListing, accountId, live(query)),
    revokeCredentialById: async (accountId, id, at) => {
      const found = db('credentials').where({ account_id: accountId, id }).whereNull('revoked_at');
      return (await found.update({ revoked_at: at })) === 1;
    },
    revokeCredential: async (accountId, clientId, at) => {
      const live = db('credentials').where({ account_id: accountId, client_id: clientId }).whereNull('revoked_at');
      return (await live.update({ revoked_at: at })) === 1;
    },
  };
}

function tokenVerbs(db: Knex, hot: HotVerbs): Pick<CallerStore, TokenVerb> {
  return {
    addToken: async (token) => {
      const [row] = await db('credential_tokens').insert(rows.credentialTokens.write(token)).returning('*');
      return rows.credentialTokens.read(row);
    },
    findTokens: (accountId, ids) => hot.findCredentialTokens(db, accountId, ids),
    findToken: async (accountId, id) => (await hot.findCredentialTokens(db, accountId, [id]))[0] ?? null,
    revokeToken: async (accountId, tokenId, at) => {
      const token = db('credential_tokens').where({ account_id: accountId, id: tokenId });
      return (await token.whereNull('revoked_at').update({ revoked_at: at })) === 1;
    },
  };
}

/** Of any account: a key says itself whose it is. */
const keyByDigest = fixedSelect(rows.apiKeys, 'api-key-by-digest', 'digest = ?');

export function callerVerbs(db: Knex, hot: HotVerbs): CallerStore {
  return {
    ...credentialVerbs(db),
    ...tokenVerbs(db, hot),
    createApiKey: (key) =>
      separately(db, async (tx) => {
        await holdAccount(tx, key.accountId);
        const [row] = await tx('api_keys').insert(rows.apiKeys.write(key)).returning('*');
        return rows.apiKeys.read(row);
      }),
    listApiKeys: async (accountId) => {
      const found = await db('api_keys').where('account_id', accountId).orderBy('id');
      return found.map(rows.apiKeys.read);
    },
    pageApiKeys: (accountId, query) => listPage(db, apiKeyListing, accountId, live(query)),
    findApiKey: async (digest) => {
      const row = await readRow(db, keyByDigest, digest);
      return row ? rows.apiKeys.read(row) : null;
    },
    revokeApiKey: async (accountId, id, at) => {
      const live = db('api_keys').where({ account_id: accountId, id }).whereNull('revoked_at');
      return (await live.update({ revoked_at: at })) === 1;
    },
  };
}
