import { channel } from 'node:diagnostics_channel';
import createKnex, { type Knex } from 'knex';
import pg from 'pg';
import { Failure } from '../../../domain/failure.ts';
import type { Pooling } from '../../pooling.ts';
import { speaking } from '../dialect.ts';
import { type Engine, type EngineOptions, longestStatementMilliseconds, readWait } from '../engine.ts';
import { inNewTransaction } from '../transact.ts';
import { appendEvents } from './chain.ts';
import { PostgresClient } from './client.ts';
import { consumeAll } from './consume.ts';
import { withCopyEnd } from './copying.ts';
import { endWhenSilent, withoutDeadline } from './deadline.ts';
import { postgresDialect } from './dialect.ts';
import { append, findAccessTokens, findCredentialTokens, findGrantClaims } from './hot.ts';
import { followLeader, type Leader } from './leader.ts';
import { poolSize, readingPoolSize } from './pool-sizes.ts';
import { purge } from './purge.ts';
import { describeSchema } from './schema.ts';
import { markSession, requireSessions, requireTransactions } from './session.ts';
import { forSession, type Settings } from './settings.ts';
import { carrySettings } from './transaction-pooling.ts';
import { findSearchStanding, makeSearchIndex } from './user-search.ts';

/** Every new connection, for who wants to know what is sent: tests. Without them nobody subscribes. */
const connections = channel('gatehouse:postgres-connection');

/** Any number that no other program uses on the same database. */
const migrationLock = 4_715_203_991;

/** When the server itself is silent: a second after it should have cancelled the statement. */
const silenceMilliseconds = longestStatementMilliseconds + 1000;
const idleInTransactionMilliseconds = 10_000;

/** Type numbers of PostgreSQL (`pg_type`): BIGINT holds milliseconds and row numbers here, all below 2^53. */
const bigint = 20;

const types = {
  getTypeParser: (oid: number, format?: string) =>
    oid === bigint ? Number : pg.types.getTypeParser(oid, format === 'binary' ? 'binary' : 'text'),
};

function settingsFor(waitMilliseconds: number): Settings {
  return {
    statementTimeout: longestStatementMilliseconds,
    lockTimeout: waitMilliseconds,
    idleInTransactionTimeout: idleInTransactionMilliseconds,
    isReadOnly: false,
  };
}

/**
 * A transaction for the migrator, under an advisory lock that ends with the transaction. Knex's own lock is a row,
 * which a process that dies does not release.
 */
function exclusively<Result>(db: Knex, work: (tx: Knex) => Promise<Result>): Promise<Result> {
  return inNewTransaction(db, async (tx) => {
    await tx.raw(
      'set local statement_timeout to 0; set local lock_timeout to 0; set local idle_in_transaction_session_timeout to 0',
    );
    const connection: pg.Client = await (tx.client as Knex.Client).acquireConnection(); // The transaction's own.
    return withoutDeadline(connection, async () => {
      await tx.raw('select pg_advisory_xact_lock(?)', [migrationLock]);
      return work(tx);
    });
  });
}

/** Gives the statements of a new connection their settings and limits. */
async function prepare(connection: pg.Client, settings: Settings, pooling: Pooling): Promise<void> {
  if (pooling === 'transaction') carrySettings(connection, settings);
  endWhenSilent(connection, silenceMilliseconds);
  if (pooling === 'session') await connection.query(`${forSession(settings)}; ${markSession(connection)}`);
}

function followHosts({ url, log, waitMilliseconds }: EngineOptions): Leader {
  const settings = { application_name: 'gatehouse', keepAlive: true, types };
  return followLeader({ url, settings, waitMilliseconds, log });
}

/** Up to `size` connections to the leader, opened as needed, each with these settings. */
function openPool(
  { log, waitMilliseconds, pooling = 'session' }: EngineOptions,
  leader: Leader,
  size: number,
  patience: number,
  settings: Settings,
): Knex {
  const db = createKnex({
    client: PostgresClient,
    // The oldest supported version; given here so that no connection is needed to ask for it.
    version: '15',
    // There is no pool without it; `leader` knows where to connect.
    connection: {},
    // Values of a statement must not get into an error's message.
    compileSqlOnError: false,
    log: { warn: log, error: log, deprecate: log, debug: log },
    ...speaking(postgresDialect),
    pool: {
      min: 0,
      max: size,
      acquireTimeoutMillis: patience,
      validate: leader.isCurrent,
      // Connections that nobody waits for any more give their place back.
      createTimeoutMillis: 2 * waitMilliseconds,
      afterCreate: (connection: pg.Client, done: (error: Error | undefined, connection: pg.Client) => void) => {
        connections.publish(connection);
        prepare(connection, settings, pooling).then(
          () => done(undefined, connection),
          (error: Error) => done(error, connection),
        );
      },
    },
  });
  // Knex's own way in knows one host.
  Object.assign(db.client, { acquireRawConnection: leader.connect });
  return db;
}

/** Opens PostgreSQL, or a server that speaks its protocol, at `url`. */
export function openPostgres(options: EngineOptions): Engine {
  const { waitMilliseconds, pooling } = options;
  const settings = settingsFor(waitMilliseconds);
  const leader = followHosts(options);
  const db = openPool(options, leader, poolSize, waitMilliseconds, settings);
  const readOnly = { ...settings, isReadOnly: true };
  const reading = openPool(options, leader, readingPoolSize, readWait(options), readOnly);
  return {
    kind: 'postgres',
    db,
    reading,
    readPlaces: { turns: readingPoolSize, waitMilliseconds: readWait(options) },
    hot: { consumeAll, append, appendEvents, findAccessTokens, findCredentialTokens, findGrantClaims },
    transact: (work) => inNewTransaction(db, work),
    waitingTransactions: () => 0,
    purge: (wanted) => purge(db, wanted),
    describeSchema,
    // The server's own daemon (autovacuum) does both.
    describeNewTables: async () => {},
    refreshStatistics: async () => {},
    search: {
      indexUsers: (_limit, signal) => makeSearchIndex(db, signal),
      findSearchStanding: () => findSearchStanding(db),
    },
    exclusively: (work) => exclusively(db, work),
    backup: async () => {
      throw new Failure('request_invalid', { message: 'PostgreSQL has tools of its own for this: pg_dump' });
    },
    withCopyEnd: (work) => withCopyEnd(db, work),
    findDamage: async () => [],
    ping: () => (pooling === 'transaction' ? requireTransactions(db, settings) : requireSessions(db)),
    close: async () => {
      await Promise.all([reading.destroy(), db.destroy()]);
    },
  };
}
