/** A CPU profile as V8 writes it, and to which part of the program each sample belongs. */

export interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  /** Ids of nodes. */
  readonly samples: readonly number[];
  /** µs between samples. */
  readonly timeDeltas: readonly number[];
  /** µs of the monotonic clock. */
  readonly startTime: number;
}

export interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string };
  readonly children?: readonly number[];
}

export interface Sample {
  readonly node: number;
  readonly at: number;
  readonly microseconds: number;
}

export function* sampleTimes({ samples, timeDeltas, startTime }: CpuProfile): Generator<Sample> {
  let at = startTime;
  for (const [index, node] of samples.entries()) {
    const microseconds = timeDeltas[index + 1] ?? 0;
    at += timeDeltas[index] ?? 0;
    yield { node, at, microseconds };
  }
}

/** A statement's own time shows as that of the function that runs it. */
const store = 'store: SQLite and its commits, rows and records';

const bySource: readonly (readonly [RegExp, string])[] = [
  [
    /\/node_modules\/(express-openapi-validator|ajv|path-to-regexp|lodash|ono|@jsdevtools|media-typer|content-type)/,
    'validator',
  ],
  [/\/node_modules\/knex|\/node_modules\/tarn/, 'Knex'],
  [/\/node_modules\/(pg|pg-protocol|pg-types|pg-pool|postgres-[a-z]+)\//, 'driver of PostgreSQL'],
  [/\/node_modules\/better-sqlite3/, store],
  [/\/src\/adapters\/(log|line-writer)/, 'log'],
  [/\/node_modules\/(prom-client|tdigest|bintrees)|\/src\/http\/metrics/, 'metrics'],
  [/\/node_modules\//, 'Express and what it uses'],
  [/\/src\/http\//, 'our HTTP layer'],
  [/\/src\/(domain|surfaces)\//, 'our domain and surfaces'],
  [/\/src\/store\//, store],
  [/^node:internal\/crypto/, 'crypto: digests, random bytes, sealing, MACs; handing signatures to the pool'],
  [
    /^node:(_http|http|net|internal\/http|internal\/stream_base|internal\/streams|stream|_stream)/,
    'node:http and sockets',
  ],
];

const bySpecialName = new Map([
  ['(garbage collector)', 'garbage collection'],
  ['(program)', 'native code of Node and the kernel'],
]);

/** The verbs of a prepared statement and of a database: native, and called from no other package. */
const sqliteVerbs = /^(get|run|all|exec|prepare|pragma|raw|iterate)$/;

/**
 * The part a node's own time belongs to: that of the innermost function on the stack whose source says so. What
 * Node's own small modules and native functions do counts for their callers.
 */
export function partOf({ nodes }: CpuProfile): (node: number) => string {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const found = new Map<number, string>();

  function find(id: number): string {
    const node = byId.get(id);
    if (!node) return 'promises and timers';
    const { functionName, url } = node.callFrame;
    const special = bySpecialName.get(functionName);
    if (special !== undefined) return special;
    const named = bySource.find(([pattern]) => pattern.test(url))?.[1];
    if (named !== undefined) return named;
    const parent = parents.get(id);
    const above = byId.get(parent ?? -1)?.callFrame.url ?? '';
    if (url === '' && sqliteVerbs.test(functionName) && /\/src\/store\/|better-sqlite3/.test(above)) return store;
    return parent === undefined ? 'promises and timers' : cached(parent);
  }

  function cached(id: number): string {
    const known = found.get(id);
    if (known !== undefined) return known;
    const part = find(id);
    found.set(id, part);
    return part;
  }
  return cached;
}

export function isIdle({ nodes }: CpuProfile, id: number): boolean {
  return idleIds(nodes).has(id);
}

const idle = new WeakMap<readonly ProfileNode[], Set<number>>();

function idleIds(nodes: readonly ProfileNode[]): Set<number> {
  const known = idle.get(nodes);
  if (known) return known;
  const ids = new Set(nodes.filter(({ callFrame }) => callFrame.functionName === '(idle)').map(({ id }) => id));
  idle.set(nodes, ids);
  return ids;
}
