import type { Knex } from 'knex';
import type { ClientStore } from '../store.ts';
import * as rows from './rows.ts';
import { separately } from './transact.ts';

export function clientVerbs(db: Knex): ClientStore {
  return {
    create: (client) =>
      separately(db, async (tx) => {
        const [row] = await tx('clients').insert(rows.clients.write(client)).returning('*');
        return rows.clients.read(row);
      }),
    find: async (accountId, clientId) => {
      const row = await db('clients').where({ account_id: accountId, client_id: clientId }).first();
      return row ? rows.clients.read(row) : null;
    },
    findByApp: async (accountId, appId) => {
      const row = await db('clients').where({ account_id: accountId, app_id: appId }).first();
      return row ? rows.clients.read(row) : null;
    },
    replaceSecret: async (accountId, appId, secretDigest) => {
      const client = db('clients').where({ account_id: accountId, app_id: appId });
      return (await client.update({ secret_digest: secretDigest })) === 1;
    },
    remove: async (accountId, appId) =>
      (await db('clients').where({ account_id: accountId, app_id: appId }).delete()) === 1,
  };
}
