/** API authorization servers that clients have by their users' consent, without a link. */

import type { Knex } from 'knex';
import type { AuthorizationServerStore, ServerClaimRecord, ServerScopeRecord } from '../authorization-servers.ts';
import { dialectOf } from './dialect.ts';
import { endOfApps } from './removals.ts';
import { present } from './removed.ts';
import * as rows from './server-rows.ts';
import type { DbRow } from './shape.ts';
import { together } from './transact.ts';

type OpenVerb = 'findOpen' | 'listOpenIdentifiers' | 'holdOpen' | 'endOpen';

/** The clients that have had each. */
const clients = 'open_server_clients';
const { table } = rows.servers;

/** What these servers' tokens are made of, by id. */
export async function readParts(
  db: Knex,
  accountId: number,
  serverIds: readonly number[],
): Promise<{ readonly scopes: readonly ServerScopeRecord[]; readonly claims: readonly ServerClaimRecord[] }> {
  const parts = (part: string) => db(part).where('account_id', accountId).whereIn('server_id', serverIds).orderBy('id');
  const scopes = (await parts(rows.serverScopes.table)).map(rows.serverScopes.read);
  return { scopes, claims: (await parts(rows.serverClaims.table)).map(rows.serverClaims.read) };
}

export function openServerVerbs(db: Knex): Pick<AuthorizationServerStore, OpenVerb> {
  const open = (accountId: number, tx = db) =>
    tx(table).where({ account_id: accountId, client_access: 'consent' }).whereRaw(present('api', table));
  return {
    findOpen: async (accountId, key) => {
      const named = 'id' in key ? { id: key.id } : { resource_identifier: key.resourceIdentifier };
      const row: DbRow | undefined = await open(accountId).where(named).first();
      if (!row) return null;
      const server = rows.servers.read(row);
      const { scopes, claims } = await readParts(db, accountId, [server.id]);
      return { server, scopes: scopes.filter((scope) => scope.open), claims, linkedAt: null };
    },
    listOpenIdentifiers: async (accountId, limit) => {
      const found: DbRow[] = await open(accountId).orderBy('id').limit(limit).select('resource_identifier');
      return found.map((row) => String(row['resource_identifier']));
    },
    holdOpen: (accountId, serverId, appId) =>
      together(db, async (tx) => {
        const server = { account_id: accountId, id: serverId };
        await dialectOf(tx).lock(() => tx(table).where(server).select('id'), 'forShare');
        // A change that this waited for is only visible to another statement.
        if ((await open(accountId, tx).where({ id: serverId }).first('id')) === undefined) return false;
        const own = { account_id: accountId, app_id: appId, server_id: serverId };
        if ((await tx(clients).where(own).first('app_id')) !== undefined) return true;
        await tx(clients).insert(own).onConflict(['account_id', 'app_id', 'server_id']).ignore();
        await tx('clients')
          .where({ account_id: accountId, app_id: appId, uses_open_servers: 0 })
          .whereRaw(present('app', 'clients', 'app_id'))
          .update({ uses_open_servers: 1 });
        return true;
      }),
    endOpen: (accountId, serverId, at) =>
      together(db, async (tx) => {
        const ofServer = () => tx(clients).where({ account_id: accountId, server_id: serverId });
        // Those that are linked as well keep what they have.
        const unlinked: DbRow[] = await ofServer()
          .whereRaw(`not exists (select 1 from ${rows.serverLinks.table} l where l.account_id = ${clients}.account_id
            and l.server_id = ${clients}.server_id and l.app_id = ${clients}.app_id)`)
          .orderBy('app_id')
          .select('app_id');
        await ofServer().delete();
        const appIds = unlinked.map((row) => Number(row['app_id']));
        return endOfApps(tx, accountId, 'api_link', appIds, at, serverId);
      }),
  };
}
