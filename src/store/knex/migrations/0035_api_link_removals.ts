/**
 * Removed APIs (API authorization servers) and links between apps and APIs: which API, for the grants that are for it
 * alone.
 */

import type { Knex } from 'knex';
import { isPostgres } from './is_postgres.ts';

const unique = `create unique index removals_object_unique on removals (account_id, kind, object_id)
  where kind`;

export async function up(db: Knex): Promise<void> {
  await db.raw(`alter table removals add column server_id ${isPostgres(db) ? 'bigint' : 'integer'}`);
  await db.raw('drop index removals_object_unique');
  await db.raw(`${unique} not in ('access', 'api_link')`);
}

const gone = `from removals gone where gone.account_id = grants.account_id and gone.kind = 'api'
  and gone.object_id = grants.server_id`;
const lost = `from removals lost where lost.account_id = grants.account_id and lost.kind = 'api_link'
  and lost.object_id = grants.app_id and lost.server_id = grants.server_id and lost.last_grant_id >= grants.id`;

/** An older release would let these grants live if the app was linked again. */
export async function down(db: Knex): Promise<void> {
  for (const [when, which] of [
    ['gone.removed_at', gone],
    ['max(lost.removed_at)', lost],
  ]) {
    await db.raw(`update grants set revoked_because = 'the API is no longer linked',
      revoked_at = (select ${when} ${which}) where revoked_at is null and exists (select 1 ${which})`);
  }
  await db.raw(`delete from authorization_servers
    where (account_id, id) in (select account_id, object_id from removals where kind = 'api')`);
  await db.raw("delete from removals where kind in ('api', 'api_link')");
  await db.raw('drop index removals_object_unique');
  await db.raw(`${unique} <> 'access'`);
  await db.raw('alter table removals drop column server_id');
}
