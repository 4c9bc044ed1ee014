import type { Knex } from 'knex';
import type { InFlight } from '../authorizations.ts';
import { assigned, concern } from './assigned.ts';
import { atAccount } from './at-account.ts';

/** Rows of a table whose `user_id`, `app_id` and `sid` say who approved what. */
export function inFlight(db: Knex, table: string, accountId: number, whose: InFlight): Knex.QueryBuilder {
  const rows = db(table).where(`${table}.account_id`, accountId);
  if ('unassigned' in whose) {
    return concern(rows, whose.unassigned).whereRaw(...atAccount(`not ${assigned(table)}`, accountId, table));
  }
  rows.where('user_id', whose.userId);
  if ('appId' in whose) rows.where('app_id', whose.appId);
  if ('sid' in whose) rows.where('sid', whose.sid);
  return rows;
}

/** A request names its user in two columns. */
const namesOfUser = ['password_user_id', 'decided_by'] as const;

/**
 * Ends the sign-ins in progress in which such a user gave a first factor or decided. Their end is stored, since a
 * request that was read before may be written again.
 */
export async function endRequests(db: Knex, accountId: number, whose: InFlight, except = ''): Promise<void> {
  if ('sid' in whose) return;
  for (const column of namesOfUser) {
    const rows = db('authorization_requests').where('account_id', accountId).whereNot('digest', except);
    if ('unassigned' in whose) {
      // Sign-ins to the account pages have no app.
      concern(rows, whose.unassigned, column)
        .whereNotNull(column)
        .whereNotNull('app_id')
        .whereRaw(
          ...atAccount(`not ${assigned('authorization_requests', column)}`, accountId, 'authorization_requests'),
        );
    } else {
      rows.where(column, whose.userId);
      if ('appId' in whose) rows.where('app_id', whose.appId);
    }
    const { sql, bindings } = rows.clone().select('account_id', 'digest', 'expires_at').toSQL();
    await db.raw(`insert into ended_requests (account_id, digest, expires_at) ${sql} on conflict do nothing`, [
      ...bindings,
    ]);
    await rows.delete();
  }
}
