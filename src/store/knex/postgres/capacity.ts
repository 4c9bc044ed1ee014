/** How many connections the server of a database takes, and how many the processes of a service may want. */

import { connectToLeader } from './leader.ts';
import { poolSize, readingPoolSize } from './pool-sizes.ts';

/** For commands, `psql`, backups, and what PostgreSQL reserves for its superuser. */
const others = 10;

/** While processes are replaced there is one more. */
export function wantedConnections(processes: number): number {
  return (poolSize + readingPoolSize) * (processes + 1) + others;
}

/** `max_connections` of the server that takes writes. */
export async function readMostConnections(url: string): Promise<number> {
  const client = await connectToLeader(url, 'gatehouse serve');
  try {
    const { rows } = await client.query<{ most: number }>("select current_setting('max_connections')::int as most");
    return rows[0]?.most ?? 0;
  } finally {
    await client.end();
  }
}
