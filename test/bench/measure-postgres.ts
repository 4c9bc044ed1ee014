/**
 * The lines on PostgreSQL: one and two server processes on one database, side by side with the floors on the same server
 * and with oidc-provider on SQLite.
 */

import { availableParallelism } from 'node:os';
import pg from 'pg';
import { freshDatabase, postgresUrl, serverVariable, startPostgres } from '../support/postgres.ts';
import { type Bench, type Contestant, contestant } from './bench.ts';
import { type Gatehouse, prepareGatehouse } from './gatehouse.ts';
import { type Line, line, processorLine, rateLine } from './lines.ts';
import { parentOf } from './processor-time.ts';
import type { Series } from './series.ts';
import { type Server, startOidcProvider, startPostgresFloor } from './servers.ts';
import type { Target } from './target.ts';

/** Two processes, a database and a generator want a core each before the second one can gain anything. */
const coresForTwo = 4;

interface Database {
  readonly version: string;
  /** Its first process, the parent of all others. */
  readonly pid: number;
}

/** The tests' server forgives a loss of power; this one must not. */
export async function makeDurable(): Promise<Database> {
  const client = new pg.Client({ connectionString: postgresUrl() });
  await client.connect();
  try {
    await client.query('alter system set fsync to on');
    await client.query('alter system set full_page_writes to on');
    await client.query('select pg_reload_conf()');
    const { rows } = await client.query<{ version: string; pid: number }>(
      `select current_setting('server_version') as version, pg_backend_pid() as pid`,
    );
    const [row] = rows;
    const parent = parentOf(row?.pid ?? 0);
    if (!row || parent === null) throw new Error('the database server has no process');
    await untilDurable(client);
    return { version: row.version, pid: parent };
  } finally {
    await client.end();
  }
}

/** A setting that was reloaded is in force a moment later. */
async function untilDurable(client: pg.Client): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    const { rows } = await client.query<{ durable: boolean }>(
      `select current_setting('fsync') = 'on' and current_setting('full_page_writes') = 'on' as durable, pg_sleep(0.05)`,
    );
    if (rows[0]?.durable) return;
  }
  throw new Error('PostgreSQL does not flush its log');
}

/** One of the processes, and both, each with its own refresh tokens. */
function oneAndTwo({ label, targets }: Server, database: number): [Contestant, Contestant] {
  const { refresh } = targets;
  const [port, pid] = [refresh?.ports[0], refresh?.pids[0]];
  if (!refresh || port === undefined || pid === undefined) throw new Error('no server runs');
  const half = refresh.tokens.length / 2;
  const one: Target = {
    ...refresh,
    name: `${refresh.name}, one`,
    ports: [port],
    pids: [pid, database],
    tokens: refresh.tokens.slice(0, half),
  };
  return [
    { label: `${label}, one process, refresh`, target: one },
    {
      label: `${label}, two processes, refresh`,
      target: { ...refresh, tokens: refresh.tokens.slice(half) },
    },
  ];
}

/** Gatehouse and the floors on one PostgreSQL. */
interface PostgresField {
  readonly prepared: Gatehouse;
  readonly server: Server;
  readonly floor: Server;
  /** The database's first process. */
  readonly pid: number;
}

/** Starts a PostgreSQL of its own, with so many processes of Gatehouse, for as long as the work takes. */
export async function onPostgres(
  bench: Bench,
  processes: number,
  work: (field: PostgresField) => Promise<Line[]>,
): Promise<Line[]> {
  bench.log('starting PostgreSQL');
  const postgres = startPostgres();
  process.env[serverVariable] = postgres.url;
  const { version, pid } = await makeDurable();
  const prepared = await prepareGatehouse(`PostgreSQL ${version}`, 'postgres', bench.plan.users);
  const database = await freshDatabase();
  const server = await prepared.serve({ processes, pids: [pid] });
  const floor = await startPostgresFloor(database.url, pid, bench.folder, bench.plan.users);
  try {
    return await work({ prepared, server, floor, pid });
  } finally {
    await floor.stop();
    await server.stop();
    await database.drop();
    await prepared.dispose();
    await postgres.stop();
    delete process.env[serverVariable];
  }
}

/** The lines of refreshes on PostgreSQL; `durable` is oidc-provider on SQLite. */
export function measurePostgres(bench: Bench, durable: Server): Promise<Line[]> {
  return onPostgres(bench, 2, async ({ prepared, server, floor, pid }) => {
    const [ofOne, ofTwo] = oneAndTwo(server, pid);
    const contestants = [ofOne, contestant(floor, 'refresh'), ofTwo, contestant(durable, 'refresh')];
    const [one, least, two, peer] = (await bench.alternate(bench.plan.refresh, contestants)) as FourSeries;
    const promised = availableParallelism() >= coresForTwo;
    return [
      rateLine('postgres/one', one, peer),
      rateLine('postgres/floor', one, least),
      rateLine('postgres/two', two, one, promised),
      processorLine('postgres/cost', two, one, promised),
      line('audit/postgres', { figure: await prepared.countVerifiedEvents(), unit: 'events' }),
    ];
  });
}

type FourSeries = [Series, Series, Series, Series];

/** The same lines alone. */
export async function measurePostgresAlone(bench: Bench): Promise<Line[]> {
  const durable = await startOidcProvider('sqlite', bench.folder, bench.plan.users);
  try {
    return await measurePostgres(bench, durable);
  } finally {
    await durable.stop();
  }
}
