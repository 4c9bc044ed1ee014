/** The floors of requests beside the refresh, on either database alone; those on SQLite are of `measure-sqlite.ts`. */

import type { DatabaseKind } from '../support/stores.ts';
import { type Bench, contestant } from './bench.ts';
import { type Line, shareLine } from './lines.ts';
import { onPostgres } from './measure-postgres.ts';
import { measureFloors, openField } from './measure-sqlite.ts';
import type { Series } from './series.ts';
import { floorsOnPostgres } from './servers.ts';

/** What each request costs beside the least that it can cost, in processor time, the database's included. */
export function measurePostgresFloors(bench: Bench): Promise<Line[]> {
  return onPostgres(bench, 1, async ({ server, floor }) => {
    const lines: Line[] = [];
    for (const kind of floorsOnPostgres) {
      const servers = [server, floor].map((one) => contestant(one, kind));
      const [own, least] = (await bench.alternate(bench.plan.other, servers)) as [Series, Series];
      lines.push(shareLine(`postgres-${kind}/floor`, own, least));
    }
    return lines;
  });
}

export async function measureFloorsAlone(bench: Bench, database: DatabaseKind): Promise<Line[]> {
  if (database === 'postgres') return measurePostgresFloors(bench);
  const field = await openField(bench);
  try {
    return await measureFloors(bench, field);
  } finally {
    await field.stop();
  }
}
