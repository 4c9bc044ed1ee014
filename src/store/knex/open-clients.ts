/** Open-registered clients in the order of their key, with the day of their last use. */

import type { Knex } from 'knex';
import type { ClientStore, OpenClient } from '../clients.ts';
import { clientUses } from './client-uses.ts';
import { present } from './removed.ts';
import type { DbRow } from './shape.ts';

function read(row: DbRow): OpenClient {
  return {
    accountId: Number(row['account_id']),
    appId: Number(row['app_id']),
    createdAt: Number(row['created_at']),
    lastUsedDay: row['last_used_day'] == null ? null : String(row['last_used_day']),
  };
}

/** `ClientStore.sweepOpen`: driven by the index of open clients, with the index of counts by subject. */
export async function sweepOpen(db: Knex, ...[after, limit]: Parameters<ClientStore['sweepOpen']>) {
  const { accountId, appId } = after ?? { accountId: 0, appId: 0 };
  const lastUsed = db('daily_counts as d')
    .max('d.day')
    .whereRaw('d.account_id = c.account_id and d.subject_id = c.app_id')
    .whereIn('d.kind', clientUses)
    .as('last_used_day');
  const found: DbRow[] = await db('clients as c')
    .select('c.account_id', 'c.app_id', 'c.created_at', lastUsed)
    .whereRaw("c.registered_by = 'open' and (c.account_id, c.app_id) > (?, ?)", [accountId, appId])
    .whereRaw(present('app', 'c', 'app_id'))
    .orderBy(['c.account_id', 'c.app_id'])
    .limit(limit);
  return found.map(read);
}
