/** Apps that are linked to an API, with more grants or in greater number than a removal clears at once. */

import { analyze, ask, execute } from '../support/rows.ts';
import { fillGrants, many } from './filled.ts';
import { type Cast, newCast, newClient, newServer, now } from './samples.ts';
import type { Subject } from './suite.ts';

export interface LinkedApp {
  readonly cast: Cast;
  readonly serverId: number;
  link(serverId?: number): Promise<void>;
  unlink(serverId?: number): Promise<number | null>;
}

/** An app that is linked to an API, with more grants for it than a removal revokes at once. */
export async function linkedApp(subject: Pick<Subject, 'store' | 'url'>, accountCast?: Cast): Promise<LinkedApp> {
  const { store } = subject;
  const cast = accountCast ?? (await newCast(store));
  const { accountId, appId } = cast;
  const { authorizationServers: servers } = store;
  const { id } = await newServer(store, accountId);
  const link = (serverId = id) => servers.link({ accountId, serverId, appId, scopeIds: [], linkedAt: now });
  await link();
  await fillGrants(subject, cast, many, id);
  return { cast, serverId: id, link, unlink: (serverId = id) => servers.unlink(accountId, serverId, appId, now + 1) };
}

/** Links more apps to an API than its removal unlinks at once, past the store but for one; returns the last one. */
export async function linkMany(
  { store, url }: Pick<Subject, 'store' | 'url'>,
  { accountId }: Cast,
  serverId: number,
): Promise<{ appId: number }> {
  const { appId: first, clientId } = await newClient(store, accountId);
  await store.authorizationServers.link({ accountId, serverId, appId: first, scopeIds: [], linkedAt: now });
  await repeat(url, 'clients', `app_id = ${first}`, { client_id: `'${clientId}-' || n`, app_id: null });
  const others = `select app_id from clients where client_id like '${clientId}-%'`;
  await repeat(url, 'authorization_server_clients', `app_id = ${first}`, { app_id: 'others.app_id' }, others);
  await analyze({ store, url });
  const [last] = await ask(url, `select max(app_id) as id from clients where account_id = ${accountId}`);
  return { appId: Number(last?.['id']) };
}

/**
 * Repeats a row until there are many of it, with other values in some columns, and none where a column has its default;
 * for numbers `n`, or for each of `others`.
 */
async function repeat(
  url: string,
  table: string,
  where: string,
  changes: Readonly<Record<string, string | null>>,
  others?: string,
): Promise<void> {
  const [row = {}] = await ask(url, `select * from ${table} where ${where}`);
  const columns = Object.keys(row).filter((column) => changes[column] !== null);
  const values = columns.map((column) => changes[column] ?? `${table}.${column}`);
  const numbers = `select 1 as n union all select n + 1 from others where n < ${many - 1}`;
  await execute(
    url,
    `insert into ${table} (${columns.join(', ')}) with recursive others as (${others ?? numbers})
      select ${values.join(', ')} from ${table} cross join others where ${table}.${where}`,
  );
}
