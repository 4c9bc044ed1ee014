/** Deletes what is of no use any more, in bounded statements along an index. */

import type { Knex } from 'knex';
import type { Milliseconds } from '../records.ts';
import type { Store } from '../store.ts';
import type { Engine } from './engine.ts';

const hour = 3_600_000;
const day = 24 * hour;

/** How long a row stays after its `expires_at`. Codes stay so that a replay still revokes what the code
 * gave, invite links so that whoever comes late is told why theirs does not work. */
const kinds: readonly { readonly table: string; readonly key: readonly string[]; readonly keep: Milliseconds }[] = [
  { table: 'credential_tokens', key: ['id'], keep: hour },
  { table: 'access_tokens', key: ['id'], keep: hour },
  { table: 'authorization_requests', key: ['digest'], keep: 0 },
  { table: 'ended_requests', key: ['digest'], keep: 0 },
  { table: 'pushed_requests', key: ['digest'], keep: 0 },
  { table: 'codes', key: ['digest'], keep: day },
  // For so long a device is told that its code has expired.
  { table: 'device_codes', key: ['digest'], keep: hour },
  { table: 'sessions', key: ['id'], keep: 0 },
  { table: 'session_apps', key: ['sid', 'app_id'], keep: 0 },
  { table: 'invite_links', key: ['digest'], keep: 30 * day },
  { table: 'password_resets', key: ['digest'], keep: day },
  // Those that nobody accepted: an accepted one has no end.
  { table: 'factor_devices', key: ['id'], keep: 0 },
  { table: 'factor_verifications', key: ['id'], keep: hour },
  { table: 'passkey_challenges', key: ['digest'], keep: 0 },
  { table: 'client_assertions', key: ['app_id', 'digest'], keep: 0 },
  { table: 'hook_executions', key: ['id'], keep: 0 },
];

async function purgeExpired(db: Knex, now: Milliseconds, limit: number): Promise<number> {
  let deleted = 0;
  for (const { table, key, keep } of kinds) {
    const columns = ['account_id', ...key];
    const expired = db(table)
      .select(columns)
      .where('expires_at', '<=', now - keep)
      .orderBy('expires_at')
      .limit(limit);
    deleted += await db(table).whereIn(columns, expired).delete();
  }
  return deleted;
}

/** Scripts of packages that no hook has used for a day: a build that is about to use one has noted that. */
async function purgeBundles(db: Knex, now: Milliseconds, limit: number): Promise<number> {
  const builds = db('package_builds').select('id').whereRaw('package_builds.digest = package_bundles.digest');
  const unused = db('package_bundles')
    .select('digest')
    .where('used_at', '<=', now - day)
    .whereNotExists(builds)
    .orderBy('used_at')
    .limit(limit);
  return db('package_bundles').whereIn('digest', unused).delete();
}

/** Grants are numbered by the engine within the account (PostgreSQL) or alone (SQLite): the order of their key. */
const sweepOrder = { postgres: ['account_id', 'id'], sqlite: ['id'] } as const satisfies Record<
  Engine['kind'],
  unknown
>;

type Position = readonly number[];

/**
 * Grants are looked through in the order of their key, `limit` a call, each call where the last one stopped (null: at
 * the beginning). An index on their expiry would have to be written at every rotation.
 */
async function sweepGrants(
  { db, kind }: Pick<Engine, 'db' | 'kind'>,
  now: Milliseconds,
  limit: number,
  reached: Position | null,
): Promise<{ readonly deleted: number; readonly reached: Position | null }> {
  const columns = [...sweepOrder[kind]];
  const key = `(${columns.join(', ')})`;
  const from = reached ?? columns.map(() => 0);
  const values = `(${columns.map(() => '?').join(', ')})`;
  const after = db('grants')
    .select(columns)
    .whereRaw(`${key} > ${values}`, [...from]);
  const seen: Record<string, number>[] = await after.orderBy(columns).limit(limit);
  const last = seen.at(-1);
  if (!last) return { deleted: 0, reached: null };
  const to = columns.map((column) => Number(last[column]));
  const deleted: number = await db('grants')
    .whereRaw(`${key} > ${values} and ${key} <= ${values}`, [...from, ...to])
    .where((dead) => {
      for (const column of ['revoked_at', 'idle_expires_at', 'absolute_expires_at']) {
        dead.orWhere(column, '<=', now - day);
      }
    })
    .delete();
  return { deleted, reached: seen.length < limit ? null : to };
}

/** A purge that remembers, for as long as the process lives, how far it got among the grants. */
export function createPurge(engine: Pick<Engine, 'db' | 'kind'>): Store['purge'] {
  let reached: Position | null = null;
  return async (now, limit) => {
    const expired = (await purgeExpired(engine.db, now, limit)) + (await purgeBundles(engine.db, now, limit));
    const sweep = await sweepGrants(engine, now, limit, reached);
    reached = sweep.reached;
    return expired + sweep.deleted;
  };
}
