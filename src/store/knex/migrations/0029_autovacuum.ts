/**
 * PostgreSQL cleans up tables whose rows come and go all the time when a fiftieth of the rows is dead, not a fifth: of
 * 20 million tokens, 400,000 instead of 4 million, whose index entries stand before that of the oldest one. SQLite uses
 * a page again as soon as its rows are gone.
 */

import type { Knex } from 'knex';
import { isPostgres } from './is_postgres.ts';

const tables = [
  'access_tokens',
  'credential_tokens',
  'authorization_requests',
  'ended_requests',
  'pushed_requests',
  'codes',
  'device_codes',
  'sessions',
  'session_apps',
  'client_assertions',
  'passkey_challenges',
  'hook_executions',
  'grants',
];

const settings = {
  autovacuum_vacuum_scale_factor: 0.02,
  // A small table is not cleaned up at every turn.
  autovacuum_vacuum_threshold: 1000,
};

export async function up(db: Knex): Promise<void> {
  if (!isPostgres(db)) return;
  const values = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  for (const table of tables) await db.raw(`alter table ${table} set (${values.join(', ')})`);
}

export async function down(db: Knex): Promise<void> {
  if (!isPostgres(db)) return;
  for (const table of tables) await db.raw(`alter table ${table} reset (${Object.keys(settings).join(', ')})`);
}
