import type pg from 'pg';
import { Failure } from '../../../domain/failure.ts';
import type { Held } from '../idle.ts';
import { connectToLeader } from './leader.ts';

const inUse = 'the database is in use: stop the service first, and every command that uses it';

/** The code of a lock that was not given in time. */
const lockNotAvailable = '55P03';

function refused(message: string, cause?: unknown): Failure {
  return new Failure('unavailable', { name: 'store', message }, { cause });
}

/**
 * Throws `unavailable` while another process of this service is connected to the database; otherwise nobody can write to
 * its tables until it is let go. On a replica nothing is locked: only its primary writes there.
 */
export async function hold(url: string): Promise<Held> {
  const client = await connectToLeader(url, 'gatehouse db copy');
  let lost: Error | null = null;
  client.on('error', (error) => {
    lost = error;
  });
  try {
    await requireIdle(client);
    await lockTables(client);
  } catch (error) {
    await client.end();
    throw (error as { code?: string }).code === lockNotAvailable ? refused(inUse, error) : error;
  }
  return {
    confirm: async () => {
      // The end of a connection is told either by the event above or by the statement that meets it.
      if (!lost) await client.query('select 1').catch((error: Error) => (lost = error));
      if (lost) throw refused('the connection that kept others from writing was lost; begin again', lost);
    },
    release: () => client.end(),
  };
}

/** Throws `unavailable` while another process of this service is connected to the database. */
export async function requireIdle(client: Pick<pg.Client, 'query'>): Promise<void> {
  const { rows } = await client.query<{ others: number }>(
    `select count(*)::int as others from pg_stat_activity
      where datname = current_database() and application_name = 'gatehouse' and pid <> pg_backend_pid()`,
  );
  if (rows[0]?.others !== 0) throw refused(inUse);
}

/** Others can read all tables and write none. It holds no snapshot, so that vacuum goes on. */
async function lockTables(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ tables: string | null }>(
    `select case when not pg_is_in_recovery() then string_agg(oid::regclass::text, ', ' order by oid) end as tables
      from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace`,
  );
  await client.query(
    'begin; set local lock_timeout to 1000; set local statement_timeout to 0; set local idle_in_transaction_session_timeout to 0',
  );
  if (rows[0]?.tables) await client.query(`lock table ${rows[0].tables} in share mode`);
}
