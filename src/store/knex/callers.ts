import type { Knex } from 'knex';
import type { CallerStore } from '../store.ts';
import type { HotVerbs } from './engine.ts';
import * as rows from './rows.ts';
import { separately } from './transact.ts';

type CredentialVerb = 'createCredential' | 'findCredential' | 'listCredentials' | 'revokeCredential';
type TokenVerb = 'addToken' | 'findToken' | 'revokeToken';

function credentialVerbs(db: Knex): Pick<CallerStore, CredentialVerb> {
  return {
    createCredential: (credential) =>
      separately(db, async (tx) => {
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
    findToken: (accountId, tokenId) => hot.findCredentialToken(db, accountId, tokenId),
    revokeToken: async (accountId, tokenId, at) => {
      const token = db('credential_tokens').where({ account_id: accountId, id: tokenId });
      return (await token.whereNull('revoked_at').update({ revoked_at: at })) === 1;
    },
  };
}

export function callerVerbs(db: Knex, hot: HotVerbs): CallerStore {
  return {
    ...credentialVerbs(db),
    ...tokenVerbs(db, hot),
    createApiKey: (key) =>
      separately(db, async (tx) => {
        const [row] = await tx('api_keys').insert(rows.apiKeys.write(key)).returning('*');
        return rows.apiKeys.read(row);
      }),
    listApiKeys: async (accountId) => {
      const found = await db('api_keys').where('account_id', accountId).orderBy('id');
      return found.map(rows.apiKeys.read);
    },
    findApiKey: async (digest) => {
      const row = await db('api_keys').where('digest', digest).first();
      return row ? rows.apiKeys.read(row) : null;
    },
    revokeApiKey: async (accountId, id, at) => {
      const live = db('api_keys').where({ account_id: accountId, id }).whereNull('revoked_at');
      return (await live.update({ revoked_at: at })) === 1;
    },
  };
}
