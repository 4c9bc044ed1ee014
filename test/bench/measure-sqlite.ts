/** The lines on SQLite: side by side with the floor and with oidc-provider, and against the service itself. */

import { statSync } from 'node:fs';
import { type Installation, install } from '../support/process.ts';
import { type Bench, contestant } from './bench.ts';
import { prepareGatehouse, startProcess } from './gatehouse.ts';
import { costLine, type Line, line, rateLine } from './lines.ts';
import { measuredRequests, type RequestTimes } from './scale/sizing.ts';
import { median, type Series } from './series.ts';
import { endChild, type Server, startFloor, startOidcProvider } from './servers.ts';

/** The compared targets. */
export interface Field {
  readonly gatehouse: Server;
  readonly floor: Server;
  readonly map: Server;
  readonly durable: Server;
  /** Follows the audit trail that the load has left. */
  checkTrail(): Promise<Line>;
  stop(): Promise<void>;
}

export async function openField({ plan, folder, log }: Bench): Promise<Field> {
  log('starting the servers');
  const [prepared, floor, map, durable] = await Promise.all([
    prepareGatehouse('SQLite, FULL', 'sqlite', plan.users),
    startFloor(folder, plan.users),
    startOidcProvider('map', folder, plan.users),
    startOidcProvider('sqlite', folder, plan.users),
  ]);
  const gatehouse = await prepared.serve();
  return {
    gatehouse,
    floor,
    map,
    durable,
    checkTrail: async () => line('audit/chain', { figure: await prepared.countVerifiedEvents(), unit: 'events' }),
    stop: async () => {
      for (const server of [gatehouse, floor, map, durable]) await server.stop();
      await prepared.dispose();
    },
  };
}

export async function measureRefresh(
  bench: Bench,
  { gatehouse, floor, map, durable }: Field,
  rounds = bench.plan.refresh,
): Promise<Line[]> {
  const servers = [gatehouse, durable, map, floor].map((server) => contestant(server, 'refresh'));
  const [own, ...peers] = await bench.alternate(rounds, servers);
  const [onSqlite, onMap, lowest] = peers;
  if (!own || !onSqlite || !onMap || !lowest) throw new Error('a series is missing');
  const { errors, measurements, peakMemory } = own;
  const p99 = median(measurements.map(({ p99Milliseconds }) => p99Milliseconds));
  return [
    rateLine('refresh/durable', own, onSqlite),
    rateLine('refresh/map', own, onMap),
    rateLine('refresh/floor', own, lowest),
    line('refresh/p99', { figure: p99, unit: 'ms', errors }),
    line('refresh/rss', { figure: peakMemory ?? Number.NaN, unit: 'MB', errors }),
  ];
}

export async function measureOthers(bench: Bench, { gatehouse, durable }: Field): Promise<Line[]> {
  const lines: Line[] = [];
  for (const kind of ['registration', 'client-credentials'] as const) {
    const servers = [gatehouse, durable].map((server) => contestant(server, kind));
    const [own, peer] = (await bench.alternate(bench.plan.other, servers)) as [Series, Series];
    lines.push(rateLine(`${kind}/durable`, own, peer));
  }
  return lines;
}

export async function measureIntrospection(bench: Bench, { gatehouse }: Field): Promise<Line[]> {
  const kinds = [contestant(gatehouse, 'introspection'), contestant(gatehouse, 'refresh')];
  const [introspection, refresh] = (await bench.alternate(bench.plan.other, kinds)) as [Series, Series];
  return [rateLine('introspection', introspection, refresh)];
}

/** µs of the processor for an answer, of the requests from which sizes are calculated. */
export async function measureRequestTimes(bench: Bench): Promise<RequestTimes> {
  const prepared = await prepareGatehouse('SQLite, FULL', 'sqlite', bench.plan.users);
  const server = await prepared.serve();
  try {
    const found = await bench.alternate(
      bench.plan.other,
      measuredRequests.map((kind) => contestant(server, kind)),
    );
    const times = found.map(({ measurements, errors, firstError }, place) => {
      if (errors > 0) throw new Error(`${measuredRequests[place]}: ${firstError}`);
      return Math.round(median(measurements.map(({ serverMicroseconds }) => serverMicroseconds ?? Number.NaN)));
    });
    return Object.fromEntries(measuredRequests.map((kind, place) => [kind, times[place]])) as unknown as RequestTimes;
  } finally {
    await server.stop();
    await prepared.dispose();
  }
}

/** A million users, each with a live refresh token, against a thousand; then starts on that database. */
export async function measureMillion(bench: Bench, { gatehouse }: Field): Promise<Line[]> {
  const { manyUsers, users, other, starts } = bench.plan;
  bench.log(`making ${manyUsers} users`);
  const prepared = await prepareGatehouse('SQLite, FULL', 'sqlite', manyUsers, 'multiplied');
  const server = await prepared.serve();
  const label = (count: number) => `Gatehouse (SQLite, FULL), ${count.toLocaleString('en')} refresh tokens`;
  const contestants = [contestant(server, 'refresh', label(manyUsers)), contestant(gatehouse, 'refresh', label(users))];
  const [many, few] = (await bench.alternate(other, contestants)) as [Series, Series];
  await server.stop();
  const seconds = await timeStarts(bench, prepared.installation, starts);
  const bytes = statSync(prepared.installation.databaseUrl.slice('sqlite:'.length)).size;
  await prepared.dispose();
  if (bytes < 1e9) throw new Error(`the large database has ${bytes} bytes only`);
  const peer = `on ${(bytes / 1e9).toFixed(2)} GB`;
  return [costLine('refresh/million', many, few), line('start/1gb', { figure: median(seconds), unit: 's', peer })];
}

export async function measureStarts(bench: Bench): Promise<Line[]> {
  const seconds: number[] = [];
  for (let start = 0; start < bench.plan.starts; start += 1) {
    const installation = await install('sqlite');
    seconds.push(...(await timeStarts(bench, installation, 1)));
    await installation.dispose();
  }
  return [line('start/empty', { figure: median(seconds), unit: 's', peer: 'schema made' })];
}

async function timeStarts({ log }: Bench, installation: Installation, times: number): Promise<number[]> {
  const seconds: number[] = [];
  for (let start = 0; start < times; start += 1) {
    const { child, milliseconds } = await startProcess(installation);
    log(`ready after ${Math.round(milliseconds)} ms`);
    seconds.push(milliseconds / 1000);
    await endChild(child, 'SIGTERM');
  }
  return seconds;
}
