import type { Pooling } from '../pooling.ts';

/**
 * Why the processes of a service may find no connection to the database; null where it takes enough of them. Behind a
 * pooler of transactions that is the pooler's matter.
 */
export async function doubtConnections(url: string, pooling: Pooling, processes: number): Promise<string | null> {
  if (url.startsWith('sqlite:') || pooling === 'transaction') return null;
  const { readMostConnections, wantedConnections } = await import('./postgres/capacity.ts');
  const [most, wanted] = [await readMostConnections(url), wantedConnections(processes)];
  if (most >= wanted) return null;
  return `max_connections of the database is ${most}, and --processes ${processes} needs ${wanted}: raise it, or start fewer`;
}
