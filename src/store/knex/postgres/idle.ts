import pg from 'pg';
import { Failure } from '../../../domain/failure.ts';

/** Throws `unavailable` while another process of this service is connected to the database. */
export async function requireIdle(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: 'gatehouse db copy' });
  await client.connect();
  try {
    const { rows } = await client.query<{ others: number }>(
      `select count(*)::int as others from pg_stat_activity
        where datname = current_database() and application_name = 'gatehouse'`,
    );
    if (rows[0]?.others === 0) return;
    const message = 'the database is in use: stop the service first, and every command that uses it';
    throw new Failure('unavailable', { name: 'store', message });
  } finally {
    await client.end();
  }
}
