import { AsyncLocalStorage } from 'node:async_hooks';
import { Failure } from '../../domain/failure.ts';
import { databaseUrlForm, sqliteFileOf } from '../database-url.ts';
import type { ReadTurns } from '../read-turns.ts';
import type { Store } from '../store.ts';
import { findGeneration } from './accounts.ts';
import { doubtConnections } from './capacity.ts';
import { type Distribution, withDistribution } from './distribution.ts';
import type { Engine, EngineOptions } from './engine.ts';
import { damageOf, translate } from './errors.ts';
import { type Around, guardVerbs } from './guard.ts';
import { withoutWriters } from './idle.ts';
import { findWaitingMessages } from './messages.ts';
import { findSchemaFaults, migrate, readStatus, requireKnown, rollback } from './migrate.ts';
import { optionsOfEngine, type StoreOptions } from './options.ts';
import { findOverdue } from './purge.ts';
import { countWaiting, inOrderOfArrival, withReading } from './reading.ts';
import { clearing } from './removals.ts';
import { createTransaction, type TransactionState } from './transaction.ts';
import { usageOf } from './usage.ts';
import { foldUserCounts } from './user-counts.ts';
import { verbsOn } from './verbs.ts';

export { type Distribution, doubtConnections, requireKnown, verbsOn, withDistribution, withoutWriters };

/** The store on an open engine; `log` takes a line when the database turns out to be damaged. */
export function createStore(
  engine: Engine,
  log: (line: string) => void = () => {},
  readTurns: ReadTurns = inOrderOfArrival,
): Store {
  const { db, kind } = engine;
  const reads = countWaiting(readTurns(engine.readPlaces));
  const current = new AsyncLocalStorage<TransactionState>();
  let damaged: unknown = null;
  const noteDamage = (error: unknown): void => {
    if (damaged !== null || damageOf(error) === null) return;
    damaged = translate(error);
    log(`the database is damaged: ${damageOf(error)}`);
  };
  // On SQLite such a call would wait for the connection that the transaction holds; on PostgreSQL often for its locks.
  const outside: Around = async (work) => {
    if (current.getStore()?.open) throw new Failure('internal', { reason: 'the store was used inside a transaction' });
    try {
      return await work();
    } catch (error) {
      noteDamage(error);
      throw error;
    }
  };
  const alone: Around = (work) =>
    outside(work).catch((error: unknown) => {
      throw translate(error);
    });
  const transaction = createTransaction(engine, current);
  return {
    kind,
    ...withReading(
      guardVerbs(verbsOn(db, engine.hot), outside),
      guardVerbs(verbsOn(engine.reading, engine.hot), outside),
      reads.inTurn,
    ),
    transaction: (work) => alone(() => transaction(work)),
    generation: (accountId) => alone(() => findGeneration(db, accountId)),
    migrate: () => alone(() => migrate(engine)),
    rollback: (steps) => alone(() => rollback(engine, steps)),
    status: () => alone(() => readStatus(db)),
    ping: async () => {
      // Ready again only after a restart: a successful read proves nothing about the other pages.
      if (damaged !== null) throw damaged;
      await alone(engine.ping);
    },
    findOverdue: (now, reached) => alone(() => findOverdue(db, now, reached)),
    purge: (wanted) => alone(() => engine.purge(wanted)),
    clearRemoved: async (limit, turn) => {
      const slice = await alone(() => clearing(db).clearRemoved(limit, turn));
      if (slice && 'error' in slice) noteDamage(slice.error);
      return slice;
    },
    findWaitingRemovals: () => alone(() => clearing(db).findWaitingRemovals()),
    findWaitingMessages: () => alone(() => findWaitingMessages(db)),
    connections: () => [
      usageOf('main', db, engine.waitingTransactions()),
      usageOf('reading', engine.reading, reads.waiting()),
    ],
    foldCounts: () => alone(() => foldUserCounts(db)),
    refreshStatistics: () => alone(() => engine.refreshStatistics()),
    indexUsers: (limit, signal) => alone(() => engine.search.indexUsers(limit, signal)),
    findSearchStanding: () => alone(() => engine.search.findSearchStanding()),
    backup: (file) => alone(() => engine.backup(file)),
    withCopyEnd: (work) => alone(() => engine.withCopyEnd(work)),
    findSchemaFaults: () => alone(() => findSchemaFaults(engine, db)),
    findDamage: () => alone(() => engine.findDamage()),
    close: () => engine.close(),
  };
}

/** Only the driver of that database is loaded. */
async function openEngine(options: EngineOptions): Promise<Engine> {
  if (/^sqlite:./.test(options.url)) return (await import('./sqlite/engine.ts')).openSqlite(options);
  if (/^postgres(ql)?:\/\//.test(options.url)) return (await import('./postgres/engine.ts')).openPostgres(options);
  throw new Failure('value_invalid', {
    name: 'DATABASE_URL',
    message: `DATABASE_URL must be ${databaseUrlForm}`,
  });
}

/** Without the URL of PostgreSQL, which contains a password. */
function damagedAt(url: string, cause: unknown): Failure {
  const place = sqliteFileOf(url) ?? 'the database';
  const message = `${place} is damaged, or not a database of this service (${damageOf(cause)}); restore it from your backup: docs/operations.md`;
  return new Failure('unavailable', { name: 'store', message, reason: `${damageOf(cause)}` }, { cause });
}

/**
 * Opens the store that `url` names and reads from it once; does not migrate (`Store.migrate`). Throws `value_invalid`
 * for any other URL, `unavailable` when the database does not answer, is damaged, or lost commits.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const engineOptions = optionsOfEngine(options);
  const store = createStore(await openEngine(engineOptions), engineOptions.log, options.readTurns);
  try {
    await store.ping();
  } catch (error) {
    await store.close();
    throw damageOf(error) === null ? error : damagedAt(options.url, error);
  }
  return store;
}
