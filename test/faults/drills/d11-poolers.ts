import { readdirSync } from 'node:fs';
import { Failure } from '../../../src/domain/failure.ts';
import { openStore } from '../../../src/store/knex/index.ts';
import type { Pooling } from '../../../src/store/pooling.ts';
import { measurePoolers } from '../../bench/measure-poolers.ts';
import { findPgBouncer, type PgBouncerProgram } from '../../support/pgbouncer.ts';
import { freshDatabase, postgresUrl } from '../../support/postgres.ts';
import { type Way, wayTo, wayVariable } from '../../support/way.ts';
import type { Drill, DrillOptions, DrillResult } from '../drill.ts';
import { runFiles } from '../matrix-drill.ts';

const modes = ['transaction', 'session'] as const;

/**
 * The store on PostgreSQL, and refreshes that race between servers. In transaction mode the index of searches is made by
 * hand, and the test of searches lets the service make it.
 */
function filesIn(mode: (typeof modes)[number]): string[] {
  const ofStore = readdirSync(new URL('../../store', import.meta.url)).filter((name) => name.endsWith('.test.ts'));
  const chosen = ofStore.filter((name) => mode === 'session' || name !== 'user-search.test.ts');
  return [...chosen.map((name) => `test/store/${name}`), 'test/faults/races.test.ts'];
}

/** Of refreshes a second, between the two modes. */
const mostDifference = 0.1;

/** D11: PgBouncer, the real one, between the service and PostgreSQL. */
export const drill: Drill = {
  id: 'D11',
  title:
    'PgBouncer before PostgreSQL in either mode: the tests of the store, races, what is found at the start, refreshes',
  rounds: 1,
  // `test/store/transaction-pooling.test.ts` and `pooler.test.ts` have their own pooler.
  quickRounds: null,
  run: async (options) => {
    let program: PgBouncerProgram;
    try {
      program = findPgBouncer();
    } catch (error) {
      const told = error instanceof Error ? error.message : String(error);
      options.log(`NOT RUN: ${told}`);
      return { figures: { 'NOT RUN': told }, holds: true };
    }
    try {
      return await runWith(program, options);
    } finally {
      program.remove();
    }
  },
};

async function runWith(program: PgBouncerProgram, options: DrillOptions): Promise<DrillResult> {
  const figures: Record<string, number | string> = { PgBouncer: program.version };
  let holds = true;
  const note = (title: string, result: DrillResult) => {
    for (const [name, value] of Object.entries(result.figures)) figures[`${title}: ${name}`] = value;
    holds &&= result.holds;
  };
  note('at the start', await judgeStarts(program, options));
  note('no connection left', await useUp(program));
  for (const mode of modes) {
    options.log(`the tests in ${mode} mode`);
    note(`${mode} mode`, await runFiles(filesIn(mode), options, { [wayVariable]: mode }));
  }
  const { session, transaction } = await measurePoolers(program, options.log);
  const difference = transaction.perSecond / session.perSecond - 1;
  note('refreshes', {
    figures: {
      'a second, session mode': Math.round(session.perSecond),
      'a second, transaction mode': Math.round(transaction.perSecond),
      'transaction against session mode, %': (difference * 100).toFixed(1),
      'processor time of one in session mode, µs': Math.round(session.serverMicroseconds),
      'processor time of one in transaction mode, µs': Math.round(transaction.serverMicroseconds),
      errors: session.errors + transaction.errors,
    },
    holds: Math.abs(difference) <= mostDifference && session.errors + transaction.errors === 0,
  });
  return { figures, holds };
}

interface Start {
  readonly mode: 'session' | 'transaction' | 'statement';
  readonly pooling: Pooling;
  readonly settings?: readonly string[];
  /** Why the store does not open; null where it does. */
  readonly refusal: string | null;
  readonly query?: string;
}

const sessionsLost = 'a pooler in front of the database does not keep sessions';
const transactionsLost = 'a pooler in front of the database does not keep transactions';
const refusedParameter = 'a pooler in front of the database refuses a parameter of DATABASE_URL';

const starts: readonly Start[] = [
  { mode: 'session', pooling: 'session', refusal: null },
  { mode: 'session', pooling: 'transaction', refusal: null },
  { mode: 'transaction', pooling: 'transaction', refusal: null },
  { mode: 'transaction', pooling: 'transaction', settings: ['default_pool_size = 1'], refusal: null },
  { mode: 'transaction', pooling: 'transaction', settings: ['server_round_robin = 1'], refusal: null },
  { mode: 'transaction', pooling: 'session', refusal: sessionsLost },
  { mode: 'transaction', pooling: 'session', settings: ['default_pool_size = 1'], refusal: sessionsLost },
  { mode: 'transaction', pooling: 'session', settings: ['server_round_robin = 1'], refusal: sessionsLost },
  { mode: 'statement', pooling: 'session', refusal: sessionsLost },
  { mode: 'statement', pooling: 'transaction', refusal: transactionsLost },
  { mode: 'session', pooling: 'session', query: '?options=-c%20search_path%3Dpublic', refusal: refusedParameter },
];

/** How often each is tried: which connection of the server a client gets is not always the same. */
const triesOfEach = 10;

async function judgeStarts(program: PgBouncerProgram, { log }: DrillOptions): Promise<DrillResult> {
  const database = await freshDatabase();
  const figures = { opened: 0, refused: 0, 'other than expected': 0 };
  try {
    for (const start of starts) {
      const { mode, pooling, settings, query = '', refusal } = start;
      const pooler = await program.start(postgresUrl(), mode, settings);
      const way = wayTo(database.url, `${pooling}:${pooler.port}`);
      for (let times = 0; times < triesOfEach; times += 1) {
        const found = await refusalOf({ ...way, url: `${way.url}${query}` });
        figures[found === null ? 'opened' : 'refused'] += 1;
        if (found === refusal) continue;
        figures['other than expected'] += 1;
        log(`${mode} mode, DATABASE_POOLING=${pooling} ${settings ?? ''}: ${found}`);
      }
      await pooler.stop();
    }
    return { figures, holds: figures['other than expected'] === 0 };
  } finally {
    await database.drop();
  }
}

/** A statement that gets no connection of the server is an outage, as told, and the next one is served. */
async function useUp(program: PgBouncerProgram): Promise<DrillResult> {
  const database = await freshDatabase();
  const settings = ['default_pool_size = 1', 'query_wait_timeout = 0.9'];
  const pooler = await program.start(postgresUrl(), 'transaction', settings);
  const store = await openStore({
    ...wayTo(database.url, `transaction:${pooler.port}`),
    acquireTimeoutMilliseconds: 10_000,
  });
  try {
    await store.migrate();
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const holding = store.transaction(async (tx) => {
      await tx.accounts.list();
      begun.resolve();
      await held;
    });
    await begun.promise;
    const beganAt = performance.now();
    const refused = await store.accounts.list().then(
      () => 'answered',
      (error: unknown) => (error instanceof Failure ? error.code : String(error)),
    );
    const milliseconds = Math.round(performance.now() - beganAt);
    release();
    await holding;
    const served = await store.accounts.list();
    return { figures: { refused, 'after, ms': milliseconds }, holds: refused === 'unavailable' && served.length === 0 };
  } finally {
    await store.close();
    await pooler.stop();
    await database.drop();
  }
}

async function refusalOf(way: Way): Promise<string | null> {
  try {
    const store = await openStore({ ...way, acquireTimeoutMilliseconds: 10_000 });
    await store.close();
    return null;
  } catch (error) {
    return error instanceof Failure ? (error.detail.reason ?? error.message) : String(error);
  }
}
