/** Clients that are linked to API authorization servers, with what they may do there. */

import type { Knex } from 'knex';
import type { AuthorizationServerStore } from '../authorization-servers.ts';
import { linked } from './assigned.ts';
import { present, refersToPresent } from './removed.ts';
import * as rows from './rows.ts';
import { serverLinks } from './server-rows.ts';
import type { DbRow } from './shape.ts';

const { table: links } = serverLinks;
const assigned = linked({ account: '?', app: 'c.app_id', user: '?' });

export function linkedClientVerbs(db: Knex): Pick<AuthorizationServerStore, 'linkedFor'> {
  return {
    linkedFor: async (accountId, serverIds, { grantType, userId }, limit) => {
      const appIds = db(links)
        .where('account_id', accountId)
        .whereIn('server_id', serverIds)
        .whereRaw(refersToPresent(links, 'server_id'))
        .select('app_id');
      const found: DbRow[] = await db('clients as c')
        .where('c.account_id', accountId)
        .whereIn('c.app_id', appIds)
        .where('c.grant_types', 'like', `%"${grantType}"%`)
        .whereRaw(present('app', 'c', 'app_id'))
        .whereRaw(assigned, [accountId, userId, accountId, userId])
        .orderBy('c.app_id')
        .limit(limit)
        .select('c.*');
      return found.map(rows.clients.read);
    },
  };
}
