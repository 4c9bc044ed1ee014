/** Refreshes through PgBouncer in session and in transaction mode, in turns, on one PostgreSQL. */

import type { PgBouncerProgram } from '../support/pgbouncer.ts';
import { postgresUrl, serverVariable, startPostgres } from '../support/postgres.ts';
import { settingsOf, wayTo } from '../support/way.ts';
import { type Contestant, openBench } from './bench.ts';
import { prepareGatehouse } from './gatehouse.ts';
import { makeDurable } from './measure-postgres.ts';
import { quickPlan } from './plan.ts';
import { median, type Series } from './series.ts';

const modes = ['session', 'transaction'] as const;

interface Pooled {
  readonly perSecond: number;
  readonly serverMicroseconds: number;
  readonly errors: number;
}

/** Two servers that are alike but for their way to the database, each with users of its own. */
export async function measurePoolers(
  program: PgBouncerProgram,
  log: (line: string) => void,
): Promise<Readonly<Record<(typeof modes)[number], Pooled>>> {
  const given = process.env[serverVariable];
  const postgres = startPostgres();
  process.env[serverVariable] = postgres.url;
  const bench = openBench(quickPlan, log);
  const poolers = await Promise.all(modes.map((mode) => program.start(postgresUrl(), mode)));
  try {
    const { version, pid } = await makeDurable();
    const prepared = await prepareGatehouse(`PostgreSQL ${version}`, 'postgres', quickPlan.users);
    const { databaseUrl } = prepared.installation;
    const envs = modes.map((mode, at) => settingsOf(wayTo(databaseUrl, `${mode}:${poolers[at]?.port}`)));
    const server = await prepared.serve({ processes: modes.length, envs });
    try {
      const { refresh } = server.targets;
      if (!refresh) throw new Error('no server runs');
      const share = refresh.tokens.length / modes.length;
      const contestants = modes.map((mode, at): Contestant => {
        const target = {
          ...refresh,
          name: `refresh, ${mode} mode`,
          ports: refresh.ports.slice(at, at + 1),
          pids: [...refresh.pids.slice(at, at + 1), pid, poolers[at]?.pid ?? 0],
          tokens: refresh.tokens.slice(at * share, (at + 1) * share),
        };
        return { label: `through PgBouncer, ${mode} mode`, target };
      });
      const [session, transaction] = (await bench.alternate(quickPlan.refresh, contestants)) as [Series, Series];
      return { session: summed(session), transaction: summed(transaction) };
    } finally {
      await server.stop();
      await prepared.dispose();
    }
  } finally {
    for (const pooler of poolers) await pooler.stop();
    bench.close();
    await postgres.stop();
    if (given === undefined) delete process.env[serverVariable];
    else process.env[serverVariable] = given;
  }
}

function summed({ measurements, errors }: Series): Pooled {
  return {
    perSecond: median(measurements.map(({ perSecond }) => perSecond)),
    serverMicroseconds: median(measurements.map(({ serverMicroseconds }) => serverMicroseconds ?? Number.NaN)),
    errors,
  };
}
