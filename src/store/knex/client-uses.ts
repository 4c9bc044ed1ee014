/** Use of clients, as daily counts have it. */

import type { Knex } from 'knex';
import type { CountKind, CountStore } from '../counts.ts';
import type { ListFilter } from '../listing.ts';
import type { Sql } from './links.ts';
import { present } from './removed.ts';
import type { DbRow } from './shape.ts';

/** Daily counts with a client as their subject. */
export const clientUses = Object.keys({
  refresh: true,
  introspection: true,
  client_credentials: true,
  authorization_code: true,
  implicit: true,
  password: true,
  device_code: true,
  token_exchange: true,
} satisfies Record<Exclude<CountKind, 'credential_token' | 'authorization_refused' | `call.${string}`>, true>);

const anyUse = clientUses.map(() => '?').join(', ');

/** A condition on `clients`: made before the day that the filter names, and not used since. */
export function unusedSince(_accountId: number, { values: [day = ''] }: ListFilter): Sql {
  return [
    `clients.created_at < ? and not exists (select 1 from daily_counts as used
      where used.account_id = clients.account_id and used.subject_id = clients.app_id and used.day >= ?
        and used.kind in (${anyUse}))`,
    [Date.parse(String(day)), day, ...clientUses],
  ];
}

/** `CountStore.listUses`: by the index of counts by subject. */
export async function listUses(db: Knex, ...[accountId, appIds, from]: Parameters<CountStore['listUses']>) {
  if (appIds.length === 0) return [];
  const found: DbRow[] = await db('daily_counts')
    .select('subject_id', 'day')
    .sum({ count: 'count' })
    .where('account_id', accountId)
    .whereIn('subject_id', [...appIds])
    .where('day', '>=', from)
    .whereIn('kind', clientUses)
    .groupBy('subject_id', 'day')
    .orderBy(['subject_id', 'day']);
  return found.map((row) => ({
    appId: Number(row['subject_id']),
    day: String(row['day']),
    count: Number(row['count']),
  }));
}

/** `CountStore.lastUses`: the end of each app's range in that index. */
export async function lastUses(db: Knex, ...[accountId, appIds]: Parameters<CountStore['lastUses']>) {
  if (appIds.length === 0) return new Map<number, string>();
  const lastUsed = db('daily_counts as d')
    .select('d.day')
    // A subquery names its account itself, where accounts lie on several servers.
    .where('d.account_id', accountId)
    .whereRaw('d.subject_id = c.app_id')
    .whereIn('d.kind', clientUses)
    .orderBy('d.day', 'desc')
    .limit(1)
    .as('last_used_day');
  const found: DbRow[] = await db('clients as c')
    .select('c.app_id', lastUsed)
    .where('c.account_id', accountId)
    .whereIn('c.app_id', [...appIds])
    .whereRaw(present('app', 'c', 'app_id'));
  const used = found.filter((row) => row['last_used_day'] !== null);
  return new Map(used.map((row) => [Number(row['app_id']), String(row['last_used_day'])]));
}
