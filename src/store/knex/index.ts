import { AsyncLocalStorage } from 'node:async_hooks';
import type { Knex } from 'knex';
import { Failure } from '../../domain/failure.ts';
import { databaseUrlForm, sqliteFileOf } from '../database-url.ts';
import type { ReadTurns } from '../read-turns.ts';
import type { Store, StoreVerbs } from '../store.ts';
import { accessVerbs } from './access.ts';
import { accountVerbs } from './accounts.ts';
import { administratorVerbs } from './administrators.ts';
import { attributeVerbs } from './attributes.ts';
import { authorizationServerVerbs } from './authorization-servers.ts';
import { authorizationVerbs } from './authorizations.ts';
import { callerVerbs } from './callers.ts';
import { doubtConnections } from './capacity.ts';
import { changeNoticeVerbs } from './change-notices.ts';
import { clientVerbs } from './clients.ts';
import { countVerbs } from './counts.ts';
import { deviceCodeVerbs } from './device-codes.ts';
import { type Distribution, withDistribution } from './distribution.ts';
import type { Engine, EngineOptions, HotVerbs } from './engine.ts';
import { damageOf, translate } from './errors.ts';
import { type AtEnd, eventVerbs } from './events.ts';
import { factVerbs } from './facts.ts';
import { grantVerbs } from './grants.ts';
import { type Around, guardVerbs } from './guard.ts';
import { hookExecutionVerbs } from './hook-executions.ts';
import { hookVariableVerbs } from './hook-variables.ts';
import { hookVerbs } from './hooks.ts';
import { withoutWriters } from './idle.ts';
import { keptAnswerVerbs } from './kept-answers.ts';
import { keyVerbs } from './keys.ts';
import { limitCountVerbs } from './limit-counts.ts';
import { findWaitingMessages } from './messages.ts';
import { findSchemaFaults, migrate, readStatus, requireKnown, rollback } from './migrate.ts';
import { noticeVerbs } from './notices.ts';
import { optionsOfEngine, type StoreOptions } from './options.ts';
import { packageBuildVerbs } from './package-builds.ts';
import { passkeyVerbs } from './passkeys.ts';
import { inviteVerbs, passwordResetVerbs } from './password-links.ts';
import { policyVerbs } from './policies.ts';
import { findOverdue } from './purge.ts';
import { countWaiting, inOrderOfArrival, withReading } from './reading.ts';
import { refusalVerbs } from './refusals.ts';
import { clearing } from './removals.ts';
import { resetRequestVerbs } from './reset-requests.ts';
import { resourceVerbs } from './resources.ts';
import { roleVerbs } from './roles.ts';
import { secondFactorVerbs } from './second-factors.ts';
import { sessionVerbs } from './sessions.ts';
import { signInHistoryVerbs } from './sign-in-histories.ts';
import { createTransaction, type TransactionState } from './transaction.ts';
import { usageOf } from './usage.ts';
import { foldUserCounts } from './user-counts.ts';
import { userVerbs } from './users.ts';

export { type Distribution, doubtConnections, requireKnown, withDistribution, withoutWriters };

/** The unguarded functions on a pool, or in the transaction `db`, which does at its end what `atEnd` collects. */
export function verbsOn(db: Knex, hot: HotVerbs, atEnd: AtEnd | null = null): StoreVerbs {
  return {
    accounts: accountVerbs(db),
    facts: factVerbs(db),
    keys: keyVerbs(db),
    callers: callerVerbs(db, hot),
    administrators: administratorVerbs(db),
    users: userVerbs(db, hot),
    attributes: attributeVerbs(db),
    policies: policyVerbs(db),
    roles: roleVerbs(db),
    access: accessVerbs(db),
    clients: clientVerbs(db, hot),
    authorizationServers: authorizationServerVerbs(db),
    sessions: sessionVerbs(db),
    secondFactors: secondFactorVerbs(db),
    passkeys: passkeyVerbs(db),
    notices: noticeVerbs(db),
    authorizations: authorizationVerbs(db, hot),
    deviceCodes: deviceCodeVerbs(db),
    grants: grantVerbs(db, hot),
    invites: inviteVerbs(db),
    passwordResets: passwordResetVerbs(db),
    changeNotices: changeNoticeVerbs(db),
    resetRequests: resetRequestVerbs(db),
    events: eventVerbs(db, hot, atEnd),
    counts: countVerbs(db),
    hooks: hookVerbs(db),
    hookVariables: hookVariableVerbs(db),
    hookExecutions: hookExecutionVerbs(db),
    packageBuilds: packageBuildVerbs(db),
    signInHistories: signInHistoryVerbs(db),
    resources: resourceVerbs(db),
    keptAnswers: keptAnswerVerbs(db),
    refusals: refusalVerbs(db),
    limitCounts: limitCountVerbs(db),
  };
}

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
  const transaction = createTransaction(engine, verbsOn, current);
  return {
    kind,
    ...withReading(
      guardVerbs(verbsOn(db, engine.hot), outside),
      guardVerbs(verbsOn(engine.reading, engine.hot), outside),
      reads.inTurn,
    ),
    transaction: (work) => alone(() => transaction(work)),
    generation: (accountId) => alone(() => engine.generation(accountId)),
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
    connections: () => [usageOf('main', db), usageOf('reading', engine.reading, reads.waiting())],
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
