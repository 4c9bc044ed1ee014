/**
 * What a number of users needs: a mix of requests in the busiest hour, each in terms of refreshes by its processor
 * time, through the model of refreshes (`model.ts`) and of machines (`world.ts`).
 */

import { fitModel, type Measurements } from './fit.ts';
import { capacityOf } from './report.ts';
import { needsOf } from './world.ts';

/** What was measured of each request, on SQLite: µs of the processor for an answer. */
export type RequestTimes = Readonly<Record<MeasuredRequest, number>>;

export const measuredRequests = [
  'refresh',
  'introspection',
  'userinfo',
  'client-credentials',
  'pushed',
  'delegated',
] as const;

export type MeasuredRequest = (typeof measuredRequests)[number];

/** What users do, for each user and day. */
export interface Mix {
  readonly 'sign-ins': number;
  readonly refreshes: number;
  readonly introspections: number;
  readonly userinfos: number;
  readonly 'client-tokens': number;
}

export interface Sizing {
  readonly users: number;
  readonly mix: Mix;
  /** Share of a day's requests that its busiest hour has. */
  readonly peak: number;
  /** Of each machine. */
  readonly cores: number;
}

export const usualMix: Mix = { 'sign-ins': 1, refreshes: 8, introspections: 50, userinfos: 1, 'client-tokens': 0 };
export const usualPeak = 0.15;
export const usualCores = 4;

/**
 * Of which measured requests one of the mix consists. A sign-in is a password, the pages on the way, which write and
 * read as a pushed request does, and the tokens.
 */
const consistsOf: Readonly<Record<keyof Mix, readonly MeasuredRequest[]>> = {
  'sign-ins': ['delegated', 'pushed', 'pushed', 'pushed', 'refresh'],
  refreshes: ['refresh'],
  introspections: ['introspection'],
  userinfos: ['userinfo'],
  'client-tokens': ['client-credentials'],
};

interface Part {
  readonly name: keyof Mix;
  /** In the busiest hour, a second. */
  readonly perSecond: number;
  /** Of the service's processors, and of the database's, in refreshes a second. */
  readonly service: number;
  readonly database: number;
}

export interface Sized {
  readonly parts: readonly Part[];
  /** Machines of the service that the load fills to its share; one more is for the loss of one. */
  readonly nodes: number;
  /** Share of the processors of one machine for the database; above 0.6 it is too small. */
  readonly databaseUse: number;
  /** Cores that one machine with SQLite uses. */
  readonly coresOnSqlite: number;
}

/** Hashing a password is no work of the database. */
function timeOf(times: RequestTimes, name: keyof Mix, isDatabase: boolean): number {
  const requests = consistsOf[name].filter((one) => !(isDatabase && one === 'delegated'));
  return requests.reduce((sum, one) => sum + times[one], 0);
}

export function sizeOf(measurements: Measurements, times: RequestTimes, { users, mix, peak, cores }: Sizing): Sized {
  const capacity = capacityOf(measurements, fitModel(measurements), cores);
  const parts = Object.entries(mix).map(([given, daily]): Part => {
    const name = given as keyof Mix;
    const perSecond = (users * daily * peak) / 3600;
    const inRefreshes = (isDatabase: boolean) => (perSecond * timeOf(times, name, isDatabase)) / times.refresh;
    return { name, perSecond, service: inRefreshes(false), database: inRefreshes(true) };
  });
  const sum = (of: (part: Part) => number) => parts.reduce((all, part) => all + of(part), 0);
  const demand = { perSecond: sum(({ service }) => service), accounts: 1, exponent: 0 };
  return {
    parts,
    nodes: needsOf(demand, capacity).nodes,
    databaseUse: (sum(({ database }) => database) * capacity.databaseMicroseconds) / (cores * 1e6),
    coresOnSqlite: sum(({ name, perSecond }) => perSecond * timeOf(times, name, false)) / 1e6,
  };
}

/** Whole numbers with groups; small ones as they are. */
function figure(value: number): string {
  return value >= 10 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(2)));
}

const percent = (value: number) => `${figure(value * 100)} %`;

/** The demand of one sizing, request by request, and what it needs. */
export function sizingReport(measurements: Measurements, times: RequestTimes, sizing: Sizing): string {
  const sized = sizeOf(measurements, times, sizing);
  const { parts, nodes, databaseUse, coresOnSqlite } = sized;
  const all = parts.reduce((sum, { service }) => sum + service, 0);
  const rows = parts.map(({ name, perSecond, service }) => {
    const share = all === 0 ? 0 : service / all;
    return `  ${name.padEnd(14)} ${figure(perSecond).padStart(9)}/s  ${percent(share).padStart(7)} of the service's processors`;
  });
  return [
    `${sizing.users.toLocaleString('en')} users, ${percent(sizing.peak)} of a day's requests in its busiest hour:`,
    ...rows,
    `PostgreSQL: ${nodes} ${nodes === 1 ? 'machine' : 'machines'} of ${sizing.cores} cores used to 60 %, and one for the loss of another; ` +
      `a database of ${sizing.cores} cores is used to ${percent(databaseUse)}${databaseUse > 0.6 ? ', which is too much' : ''}`,
    `SQLite: one process with ${figure(coresOnSqlite)} cores in use`,
  ].join('\n');
}

const sizes = [10_000, 100_000, 1_000_000, 10_000_000] as const;

/** The table of docs/performance.md: the usual mix. */
export function sizingTable(measurements: Measurements, times: RequestTimes): string {
  const rows = sizes.map((users) => {
    const sized = sizeOf(measurements, times, { users, mix: usualMix, peak: usualPeak, cores: usualCores });
    const requests = sized.parts.reduce((sum, { perSecond }) => sum + perSecond, 0);
    return [
      users.toLocaleString('en'),
      figure(requests),
      figure(sized.coresOnSqlite),
      `${sized.nodes} + 1`,
      percent(sized.databaseUse),
    ];
  });
  const head = ['users', 'requests/s', 'cores, SQLite', 'machines, PostgreSQL', 'database used'];
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
