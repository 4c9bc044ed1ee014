/** Clients that are known by a metadata document: rows as any client's, made where a user first agrees. */

import type { Knex } from 'knex';
import type { ClientRecord, ClientStore, NewClient } from '../clients.ts';
import { dialectOf } from './dialect.ts';
import { present } from './removed.ts';
import * as rows from './rows.ts';
import type { Cell, DbRow } from './shape.ts';
import { together } from './transact.ts';

/** `ClientStore.ensureDocument`; `written`: the row of the new client. */
export function ensureDocument(
  db: Knex,
  { accountId, clientId }: NewClient,
  written: Record<string, Cell>,
  most: number,
): ReturnType<ClientStore['ensureDocument']> {
  return together(db, async (tx) => {
    const own = { account_id: accountId, client_id: clientId };
    const find = async (): Promise<ClientRecord | null> => {
      const row: DbRow | undefined = await tx('clients')
        .where(own)
        .whereRaw(present('app', 'clients', 'app_id'))
        .first();
      return row ? rows.clients.read(row) : null;
    };
    const known = await find();
    if (known) return { client: known, isNew: false };
    // Those that add one at the same time count one after the other.
    await dialectOf(tx).lock(() => tx('accounts').where('id', accountId).select('id'), 'forNoKeyUpdate');
    const added = await find();
    if (added) return { client: added, isNew: false };
    const documents = tx('clients')
      .where('account_id', accountId)
      .whereRaw("substr(client_id, 1, 8) = 'https://'")
      .whereRaw(present('app', 'clients', 'app_id'))
      .orderBy('app_id')
      .limit(most)
      .select('app_id');
    if ((await documents).length >= most) return null;
    const [row] = await tx('clients').insert(written).returning('*');
    return { client: rows.clients.read(row), isNew: true };
  });
}
