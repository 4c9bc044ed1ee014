/**
 * What each request costs beside the least that it can cost, and beside peers that do the same. What commits or signs is
 * compared by its rate, since waiting for the disk takes no processor time, and by that time too; the rest by that alone.
 */

import type { DatabaseKind } from '../support/stores.ts';
import { type Bench, contestant } from './bench.ts';
import { prepareGatehouse } from './gatehouse.ts';
import { type Line, processorLine, rateLine, shareLine } from './lines.ts';
import { onPostgres } from './measure-postgres.ts';
import { type Field, measureRefresh, openField } from './measure-sqlite.ts';
import type { Series } from './series.ts';
import type { Server } from './servers.ts';

type Compared = Pick<Field, 'gatehouse' | 'floor' | 'durable' | 'map'>;

/** Requests that the peer answers too, and those that it does not, or not in the same way. */
const writing = [
  'refresh-dpop',
  'refresh-jwt',
  'registration',
  'client-credentials',
  'client-credentials-jwt',
  'pushed',
] as const;
const reading = ['introspection', 'userinfo', 'jwks', 'discovery'] as const;
const ownWriting = ['code', 'code-exchange', 'user-change'] as const;
const ownReading = ['user', 'user-list'] as const;

/** Of these the comparison with the durable peer is promised. */
const promised: readonly string[] = ['registration', 'client-credentials'];

export async function measureFloors(bench: Bench, compared: Compared): Promise<Line[]> {
  const { gatehouse, floor, durable, map } = compared;
  const lines: Line[] = await measureEs256(bench, compared);
  for (const kind of [...writing, ...reading]) {
    const servers = [gatehouse, floor, durable, map].map((server) => contestant(server, kind));
    const [own, least, onSqlite, onMap] = (await bench.alternate(bench.plan.floors, servers)) as FourSeries;
    lines.push(
      ...besideFloor(kind, own, least),
      rateLine(`${kind}/durable`, own, onSqlite, promised.includes(kind)),
      rateLine(`${kind}/map`, own, onMap, false),
    );
  }
  for (const kind of [...ownWriting, ...ownReading]) {
    const servers = [gatehouse, floor].map((server) => contestant(server, kind));
    const [own, least] = (await bench.alternate(bench.plan.floors, servers)) as [Series, Series];
    lines.push(...besideFloor(kind, own, least));
  }
  return [
    ...lines,
    shareLine('delegated/floor', ...(await measurePasswords(bench, 'delegated', gatehouse, floor))),
    shareLine('sign-in/floor', ...(await measureSignIns(bench, 'sqlite', floor))),
  ];
}

/** Of these the comparison on PostgreSQL was the first, in longer rounds. */
const longOnPostgres: readonly string[] = [
  'registration',
  'client-credentials',
  'pushed',
  'introspection',
  'userinfo',
  'jwks',
];

/** The same in processor time, the database's included, on PostgreSQL. */
export function measurePostgresFloors(bench: Bench): Promise<Line[]> {
  return onPostgres(bench, 1, async ({ server, floor, pid }) => {
    const lines: Line[] = [];
    for (const kind of ['refresh-es256', ...writing, ...reading, ...ownWriting, ...ownReading] as const) {
      const rounds = longOnPostgres.includes(kind) ? bench.plan.other : bench.plan.floors;
      const servers = [server, floor].map((one) => contestant(one, kind));
      const [own, least] = (await bench.alternate(rounds, servers)) as [Series, Series];
      lines.push(shareLine(`postgres-${kind}/floor`, own, least));
    }
    return [
      ...lines,
      shareLine('postgres-delegated/floor', ...(await measurePasswords(bench, 'delegated', server, floor))),
      shareLine('postgres-sign-in/floor', ...(await measureSignIns(bench, 'postgres', floor, [pid]))),
    ];
  });
}

/** The same alone, on SQLite with the usual refresh. Its rounds are too short to hold a promise against them. */
export async function measureFloorsAlone(bench: Bench, database: DatabaseKind): Promise<Line[]> {
  if (database === 'postgres') return measurePostgresFloors(bench);
  const field = await openField(bench);
  try {
    const lines = [...(await measureRefresh(bench, field, bench.plan.floors)), ...(await measureFloors(bench, field))];
    return lines.map((one) => ({ ...one, target: null, holds: null }));
  } finally {
    await field.stop();
  }
}

type FourSeries = [Series, Series, Series, Series];

type Reading = (typeof reading)[number] | (typeof ownReading)[number];
type Writing = (typeof writing)[number] | (typeof ownWriting)[number] | 'refresh-es256';

function isReading(kind: Reading | Writing): kind is Reading {
  return [...reading, ...ownReading].some((one) => one === kind);
}

function besideFloor(kind: Reading | Writing, own: Series, least: Series): Line[] {
  if (isReading(kind)) return [shareLine(`${kind}/floor`, own, least)];
  return [rateLine(`${kind}/floor`, own, least, false), shareLine(`${kind}/cost`, own, least)];
}

/** Refreshes whose id tokens are signed with ES256, beside each other and beside those with RS256. */
async function measureEs256(bench: Bench, { gatehouse, floor, durable, map }: Compared): Promise<Line[]> {
  const kind = 'refresh-es256';
  const rs256 = contestant(gatehouse, 'refresh', `${gatehouse.label}, RS256`);
  const pair = (await bench.alternate(bench.plan.other, [contestant(gatehouse, kind), rs256])) as [Series, Series];
  const servers = [gatehouse, floor, durable, map].map((server) => contestant(server, kind));
  const [own, least, onSqlite, onMap] = (await bench.alternate(bench.plan.floors, servers)) as FourSeries;
  return [
    processorLine('refresh/es256', ...pair),
    ...besideFloor('refresh-es256', own, least),
    rateLine('refresh-es256/durable', own, onSqlite, false),
    rateLine('refresh-es256/map', own, onMap, false),
  ];
}

/** Without the hash of the password, which both compute with the same library, each on threads of a name of their own. */
async function measurePasswords(bench: Bench, kind: 'delegated' | 'sign-in', gatehouse: Server, floor: Server) {
  const threads = [
    [gatehouse, 'WorkerThread'],
    [floor, 'libuv-worker'],
  ] as const;
  const unhashed = threads.map(([server, uncounted]) => {
    const { target, label } = contestant(server, kind);
    return {
      label: `${label}, without its hash`,
      target: { ...target, name: `${target.name}, without its hash`, uncounted },
    };
  });
  return (await bench.alternate(bench.plan.floors, unhashed)) as [Series, Series];
}

/**
 * Sign-ins by the form, with a hook: on a separate server, since a hook runs at every sign-in of its account. `pids` are
 * those of the database server.
 */
async function measureSignIns(bench: Bench, database: DatabaseKind, floor: Server, pids: readonly number[] = []) {
  const name = database === 'sqlite' ? 'SQLite, FULL, a hook' : 'PostgreSQL, a hook';
  const prepared = await prepareGatehouse(name, database, 1, 'hooked');
  const server = await prepared.serve({ pids });
  try {
    return await measurePasswords(bench, 'sign-in', server, floor);
  } finally {
    await server.stop();
    await prepared.dispose();
  }
}
