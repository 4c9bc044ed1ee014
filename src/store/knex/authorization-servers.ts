import type { Knex } from 'knex';
import type {
  AuthorizationServerRecord,
  AuthorizationServerStore,
  LinkedServer,
  ServerLinkRecord,
} from '../authorization-servers.ts';
import type { ListPage, ListQuery } from '../listing.ts';
import { dialectOf } from './dialect.ts';
import { holdPresent, lockPresent } from './hold.ts';
import { linkedClientVerbs } from './linked-clients.ts';
import { listPage } from './list.ts';
import type { Listing } from './list-filters.ts';
import { filled, type ListColumn } from './list-index.ts';
import { openServerVerbs, readParts } from './open-servers.ts';
import { endOfApps, removeApi } from './removals.ts';
import { present, refersToPresent } from './removed.ts';
import * as rows from './server-rows.ts';
import type { Cell, DbRow, Shape } from './shape.ts';
import { separately, together } from './transact.ts';

type ScopeVerb = 'addScope' | 'listScopes' | 'pageScopes' | 'updateScope' | 'removeScope';
type ClaimVerb = 'addClaim' | 'listClaims' | 'pageClaims' | 'updateClaim' | 'removeClaim';
type LinkVerb = 'link' | 'findLink' | 'pageLinks' | 'updateLink' | 'holdLink' | 'unlink' | 'ofClient';

type Key = Readonly<Record<string, Cell>>;

/** The functions for one table with numbered rows. `server`: the column that names the server. */
function numbered<Rec>(db: Knex, { table, read, write }: Shape<Rec>, server: 'id' | 'server_id') {
  const ofPresent = (key: Key, tx = db) =>
    tx(table)
      .where(key)
      .whereRaw(present('api', table, server));
  const first = async (query: Knex.QueryBuilder): Promise<Rec | null> => {
    const row: DbRow | undefined = await query.first();
    return row ? read(row) : null;
  };
  return {
    add: (values: Partial<Rec>): Promise<Rec> =>
      separately(db, async (tx) => {
        const added = write(values);
        if (server !== 'id') await holdPresent(tx, Number(added['account_id']), 'api', [Number(added[server])]);
        const [row] = await tx(table).insert(added).returning('*');
        return read(row);
      }),
    find: (key: Key): Promise<Rec | null> => first(ofPresent(key)),
    list: async (key: Key): Promise<Rec[]> => (await ofPresent(key).orderBy('id')).map(read),
    update: async (key: Key, values: Partial<Rec>): Promise<Rec | null> => {
      const row = write(values);
      if (Object.keys(row).length === 0) return first(ofPresent(key));
      return separately(db, async (tx) => {
        if (!(await lockPresent(tx, Number(key['account_id']), 'api', Number(key[server])))) return null;
        const [changed] = await ofPresent(key, tx).update(row).returning('*');
        return changed ? read(changed) : null;
      });
    },
    remove: async (key: Key): Promise<boolean> => (await ofPresent(key).delete()) === 1,
  };
}

/** A table as a list, sorted by its number and by one text. */
function listing<Rec>({ table, read }: Shape<Rec>, id: string, name?: string): Listing<Rec> {
  const columns: Record<string, ListColumn> = { [id]: filled('number', id), server: filled('number', 'server_id') };
  return { table, id, columns: { ...columns, ...(name && { [name]: filled('text', name) }) }, read };
}

/** One page of the parts of a server. */
function pageOfServer<Rec>(
  db: Knex,
  list: Listing<Rec>,
  accountId: number,
  serverId: number,
  query: ListQuery,
): Promise<ListPage<Rec>> {
  const own = { field: 'server', test: 'is', values: [serverId] } as const;
  return listPage(db, list, accountId, { ...query, filters: [own, ...query.filters] });
}

const servers: Listing<AuthorizationServerRecord> = { ...listing(rows.servers, 'id', 'name'), removable: 'api' };
const scopes = listing(rows.serverScopes, 'id', 'value');
const claims = listing(rows.serverClaims, 'id', 'label');
const links: Listing<ServerLinkRecord> = { ...listing(rows.serverLinks, 'app_id'), removable: 'app' };

function ofServer(accountId: number, serverId: number): Key {
  return { account_id: accountId, server_id: serverId };
}

function scopeVerbs(db: Knex): Pick<AuthorizationServerStore, ScopeVerb> {
  const { add, list, update, remove } = numbered(db, rows.serverScopes, 'server_id');
  return {
    addScope: add,
    listScopes: (accountId, serverId) => list(ofServer(accountId, serverId)),
    pageScopes: (accountId, serverId, query) => pageOfServer(db, scopes, accountId, serverId, query),
    updateScope: (accountId, serverId, id, changes) => update({ ...ofServer(accountId, serverId), id }, changes),
    removeScope: (accountId, serverId, id) => remove({ ...ofServer(accountId, serverId), id }),
  };
}

function claimVerbs(db: Knex): Pick<AuthorizationServerStore, ClaimVerb> {
  const { add, list, update, remove } = numbered(db, rows.serverClaims, 'server_id');
  return {
    addClaim: add,
    listClaims: (accountId, serverId) => list(ofServer(accountId, serverId)),
    pageClaims: (accountId, serverId, query) => pageOfServer(db, claims, accountId, serverId, query),
    updateClaim: (accountId, serverId, id, changes) => update({ ...ofServer(accountId, serverId), id }, changes),
    removeClaim: (accountId, serverId, id) => remove({ ...ofServer(accountId, serverId), id }),
  };
}

/** Three reads for all servers of a client. */
async function readLinked(db: Knex, accountId: number, appId: number): Promise<LinkedServer[]> {
  const found: DbRow[] = await db('authorization_server_clients as l')
    .join('authorization_servers as s', { 's.account_id': 'l.account_id', 's.id': 'l.server_id' })
    .where({ 'l.account_id': accountId, 'l.app_id': appId })
    .whereRaw(present('api', 's'))
    .orderBy(['l.linked_at', 'l.server_id'])
    .select([...rows.serverLinks.select('l', 'l_'), ...rows.servers.select('s', 's_')]);
  const readLink = rows.serverLinks.reader('l_');
  const readServer = rows.servers.reader('s_');
  const ids = found.map((row) => readLink(row).serverId);
  const { scopes, claims } = await readParts(db, accountId, ids);
  const scopesOf = Map.groupBy(scopes, ({ serverId }) => serverId);
  const claimsOf = Map.groupBy(claims, ({ serverId }) => serverId);
  return found.map((row) => {
    const { serverId, scopeIds, linkedAt } = readLink(row);
    const linked = new Set(scopeIds);
    return {
      server: readServer(row),
      scopes: (scopesOf.get(serverId) ?? []).filter(({ id }) => linked.has(id)),
      claims: claimsOf.get(serverId) ?? [],
      linkedAt,
    };
  });
}

function linkVerbs(db: Knex): Pick<AuthorizationServerStore, LinkVerb> {
  const { table, read, write } = rows.serverLinks;
  const one = (accountId: number, serverId: number, appId: number, tx = db) =>
    tx(table)
      .where({ ...ofServer(accountId, serverId), app_id: appId })
      .whereRaw(refersToPresent(table, 'app_id'))
      .whereRaw(refersToPresent(table, 'server_id'));
  return {
    link: (link) =>
      separately(db, async (tx) => {
        await holdPresent(tx, link.accountId, 'api', [link.serverId]);
        await holdPresent(tx, link.accountId, 'app', [link.appId]);
        await tx(table).insert(write(link));
      }),
    findLink: async (accountId, serverId, appId) => {
      const row: DbRow | undefined = await one(accountId, serverId, appId).first();
      return row ? read(row) : null;
    },
    pageLinks: async (accountId, serverId, query) => {
      const page = await pageOfServer(db, links, accountId, serverId, query);
      const ids = page.items.map(({ appId }) => appId);
      const found: DbRow[] = await db('clients')
        .where('account_id', accountId)
        .whereIn('app_id', ids)
        .whereRaw(present('app', 'clients', 'app_id'));
      const names = new Map(found.map((row) => [row['app_id'], String(row['name'])]));
      return { ...page, items: page.items.map((link) => ({ ...link, clientName: names.get(link.appId) ?? '' })) };
    },
    updateLink: async (accountId, serverId, appId, scopeIds) =>
      (await one(accountId, serverId, appId).update(write({ scopeIds }))) === 1,
    holdLink: async (accountId, serverId, appId) => {
      const server = { account_id: accountId, id: serverId };
      await dialectOf(db).lock(() => db(rows.servers.table).where(server).select('id'), 'forKeyShare');
      await dialectOf(db).lock(() => one(accountId, serverId, appId).select('app_id'), 'forKeyShare');
      // A removal that this waited for is only visible to another statement.
      return (await one(accountId, serverId, appId).first('app_id')) !== undefined;
    },
    unlink: (accountId, serverId, appId, at) =>
      together(db, async (tx) => {
        const link = one(accountId, serverId, appId, tx);
        return (await link.delete()) === 1 ? endOfApps(tx, accountId, 'api_link', [appId], at, serverId) : null;
      }),
    ofClient: (accountId, appId) => readLinked(db, accountId, appId),
  };
}

export function authorizationServerVerbs(db: Knex): AuthorizationServerStore {
  const { add, find, update } = numbered(db, rows.servers, 'id');
  return {
    ...scopeVerbs(db),
    ...claimVerbs(db),
    ...linkVerbs(db),
    ...linkedClientVerbs(db),
    ...openServerVerbs(db),
    create: add,
    find: (accountId, id) => find({ account_id: accountId, id }),
    page: (accountId, query) => listPage(db, servers, accountId, query),
    update: (accountId, id, changes) => update({ account_id: accountId, id }, changes),
    remove: (accountId, id, at) => removeApi(db, accountId, id, at),
  };
}
