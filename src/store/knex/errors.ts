/** Translates driver errors into the store's: `conflict`, `not_found`, `unavailable`. All others pass unchanged. */

import { Failure } from '../../domain/failure.ts';
import { parameterRefused, sessionsLost } from './postgres/session.ts';

/** Unique keys whose value has another name on the wire; all others are named like their column. */
const conflictNames: Readonly<Record<string, string>> = { email_key: 'email', username_key: 'username' };

/**
 * SQLite says `… UNIQUE constraint failed: users.account_id, users.email_key`; PostgreSQL names the constraint, and the
 * migrations call each one `<table>_<column>_unique`.
 */
function conflictName(error: DriverError): string {
  const column =
    /constraint failed: .*\.(\w+)$/.exec(error.message)?.[1] ??
    new RegExp(`^${error.table}_(\\w+)_unique$`).exec(error.constraint)?.[1] ??
    'id';
  return conflictNames[column] ?? column;
}

interface DriverError {
  readonly name: string;
  readonly message: string;
  readonly code: string;
  readonly table: string;
  readonly constraint: string;
  readonly routine: string;
}

function describe(error: unknown): DriverError {
  const given: Record<string, unknown> = error instanceof Error ? { ...error } : {};
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  return {
    name: error instanceof Error ? error.name : '',
    message: error instanceof Error ? error.message : String(error),
    code: text(given['code']),
    table: text(given['table']),
    constraint: text(given['constraint']),
    routine: text(given['routine']),
  };
}

/**
 * SQLite's result codes for conditions that are temporary or that an operator can fix; extended codes begin with these.
 */
const sqliteOutage = /^SQLITE_(BUSY|LOCKED|FULL|READONLY|IOERR|CANTOPEN|INTERRUPT)/;

/** Stored data cannot be read: a damaged page, a file that is not a database, an inconsistent index. */
const damage = /^(SQLITE_(CORRUPT|NOTADB)|XX00[12])/;

/**
 * PostgreSQL's codes: connection (08), missing database (3D000), resources (53), operator (57), input or output
 * (58030), timeout waiting for a lock (55P03), serialization and deadlock (40001, 40P01), read-only (25006), idle in a
 * transaction (25P03).
 */
const postgresOutage = /^(08...|3D000|53...|57...|58030|55P03|40001|40P01|25006|25P03)$/;

/** The operator removed something we need: tables, columns, rights, our name and password, or sessions. */
const postgresTaken: Readonly<Record<string, string>> = {
  '3D000': 'there is no such database',
  '3F000': 'there is no such schema',
  '42P01': 'a table is missing',
  '42703': 'a column is missing',
  '42501': 'a privilege is missing',
  '28000': 'the server refuses the connection',
  '28P01': 'the server refuses the connection: wrong name or password',
  // Prepared statements live as long as their session.
  '26000': sessionsLost,
  '42P05': sessionsLost,
};

/** A statement exceeded its time limit. */
const interrupted = /^(SQLITE_INTERRUPT|57014)$/;

/** Knex may prefix the statement. */
const sqliteTaken = /(^| - )(no such (table|column)|table \w+ has no column named)/;

/** Errors of sockets. */
const socketOutage = /^(ECONN\w+|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/;

/** Errors of Knex, its pool and pg without a code. */
const uncodedOutage =
  /^(Connection terminated|Connection ended|timeout expired|timeout exceeded|Query read timeout|Client has encountered a connection error|Client was closed|operation timed out|Unable to acquire a connection|The database connection is not open|aborted$)/;

/** Temporary: trying again may succeed without an operator restoring a table, a right or a password. */
export function isPassing(error: unknown): boolean {
  const described = describe(error);
  return isOutage(described) && !Object.hasOwn(postgresTaken, described.code);
}

function isOutage({ name, message, code }: DriverError): boolean {
  if (name === 'KnexTimeoutError') return true;
  if (code === '')
    return uncodedOutage.test(
      message
        .slice(message.lastIndexOf(' - ') + 1)
        .trimStart()
        .replace(/^- /, ''),
    );
  return (
    sqliteOutage.test(code) ||
    (code === 'SQLITE_ERROR' && sqliteTaken.test(message)) ||
    postgresOutage.test(code) ||
    Object.hasOwn(postgresTaken, code) ||
    socketOutage.test(code)
  );
}

/** Another process holds SQLite's write lock. */
export function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(describe(error).code);
}

/** PostgreSQL aborted the transaction in favour of another one (serialization, deadlock): a retry may succeed. */
export function isLostRace(error: unknown): boolean {
  return /^40(001|P01)$/.test(describe(error instanceof Failure ? error.cause : error).code);
}

/**
 * Another transaction held a row for too long. PostgreSQL detects a deadlock after a second, which is longer than we
 * wait for a lock, so a deadlock looks like this too, and a retry may succeed.
 */
export function isLockTimeout(error: unknown): boolean {
  return describe(error instanceof Failure ? error.cause : error).code === '55P03';
}

/**
 * Tables have changed since PostgreSQL prepared the statement, so that its answer would have other columns. It did
 * nothing. The routine says so, since the code stands for anything that is not supported, and the words are translated.
 */
export function isOutdated(error: unknown): boolean {
  const { code, routine } = describe(error instanceof Failure ? error.cause : error);
  return code === '0A000' && routine === 'RevalidateCachedQuery';
}

/** The driver's code for a damaged database, also from the cause of a `Failure`; else null. */
export function damageOf(error: unknown): string | null {
  const { code } = describe(error instanceof Failure ? error.cause : error);
  return damage.test(code) ? code : null;
}

/** What the database cannot do for now. */
export function outage(why: string, cause?: unknown): Failure {
  return new Failure('unavailable', { retryAfterSeconds: 1, reason: `the store is unavailable: ${why}` }, { cause });
}

/** The `Failure` for a driver's error, or the error itself. */
export function translate(error: unknown): unknown {
  if (error instanceof Failure) return error;
  const described = describe(error);
  const { code } = described;
  if (code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY' || code === '23505') {
    return new Failure('conflict', { name: conflictName(described) }, { cause: error });
  }
  // Triggers enforce the foreign keys that SQLite cannot add to a table.
  if (/^SQLITE_CONSTRAINT_(FOREIGNKEY|TRIGGER)$/.test(code) || code === '23503') {
    return new Failure('not_found', { reason: 'a row that is referred to is missing' }, { cause: error });
  }
  if (damage.test(code)) {
    const message = `the database is damaged (${code}): restore it from your backup (docs/operations.md)`;
    return new Failure(
      'unavailable',
      { name: 'store', message, reason: `the store is damaged: ${code}` },
      { cause: error },
    );
  }
  const refused = parameterRefused(described);
  if (refused) return refused;
  if (isOutdated(error)) return outage('a statement was prepared before a migration', error);
  if (isOutage(described)) {
    const missing = code === 'SQLITE_ERROR' ? 'a table or column is missing' : postgresTaken[code];
    const known = interrupted.test(code) ? `a statement was ended (${code})` : missing;
    return outage(known ?? (code || described.name || 'no connection'), error);
  }
  return error;
}
