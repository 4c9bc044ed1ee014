/** Prepared statements on Knex's own connection, for the functions that are called all the time. */

import type Sqlite from 'better-sqlite3';
import { Failure } from '../../../domain/failure.ts';
import type { CredentialToken } from '../../callers.ts';
import type { AccessTokenStanding } from '../../grants.ts';
import { accountColumn, dependantOf } from '../dependants.ts';
import type { Append, HotVerbs } from '../engine.ts';
import { present } from '../removed.ts';
import * as rows from '../rows.ts';
import type { Cell, Shape } from '../shape.ts';
import { appendIn } from './chain.ts';
import { onConnection, withOneCommit } from './client.ts';
import { sqliteStatements } from './consume.ts';
import { statement } from './statements.ts';

/**
 * Rows per statement. Before a statement fires a trigger, or adds several rows, SQLite copies each page that it changes,
 * so that it could be undone: one that adds many users copies a page once, one for each user does so every time. Other
 * tables have no triggers on new rows or get a few rows at once.
 */
const rowsAtOnce: Readonly<Record<string, number>> = { users: 50 };

/** In parts of that size; what is left goes one by one, so that each table has two texts. */
function* partsOf<Row>(table: string, rows: readonly Row[]): Generator<readonly Row[]> {
  const most = rowsAtOnce[table] ?? 1;
  for (let at = 0; at < rows.length; ) {
    const part = rows.slice(at, at + (at + most <= rows.length ? most : 1));
    yield part;
    at += part.length;
  }
}

/** What depends on the new rows; the statements above do not pass Knex, which would write it. */
function raiseAppended(connection: Sqlite.Database, table: string, rows: Parameters<Append>[3]): void {
  const on = dependantOf({ table, operation: 'insert', columns: [], rows });
  if (on === null) return;
  const accountIds = rows.map((row) => Number(row[accountColumn(table)]));
  if (on === 'generation') {
    const raise = statement(connection, 'update accounts set generation = generation + 1 where id = ?');
    for (const accountId of new Set(accountIds)) raise.run(accountId);
  } else if (on === 'user_count') {
    const add = statement(connection, 'insert into user_counts (account_id, delta) values (?, ?)');
    for (const [accountId, own] of Map.groupBy(accountIds, (id) => id)) add.run(accountId, own.length);
  } else throw new Failure('internal', { reason: `${table} is not appended to` });
}

export const append: Append = (db, table, _numbered, added, eventsOf) =>
  withOneCommit(db, (connection) => {
    const columns = Object.keys(added[0] ?? {});
    const places = `(${columns.map(() => '?').join(', ')})`;
    // By number of rows; building a text and finding its statement takes as long as adding a small row.
    const inserts = new Map<number, Sqlite.Statement<Cell[]>>();
    const numbers: number[] = [];
    for (const part of partsOf(table, added)) {
      const rows = part.length;
      const text = () => `insert into ${table} (${columns.join(', ')}) values ${part.map(() => places).join(', ')}`;
      const insert = inserts.get(rows) ?? statement(connection, text());
      inserts.set(rows, insert);
      const { lastInsertRowid } = insert.run(...part.flatMap((row) => Object.values(row)));
      // Numbers of one statement follow each other.
      for (let before = part.length - 1; before >= 0; before -= 1) numbers.push(Number(lastInsertRowid) - before);
    }
    raiseAppended(connection, table, added);
    if (eventsOf) appendIn(connection, eventsOf(numbers));
    return { result: numbers, wrote: true };
  });

/** Finds a row of an account by a number. */
function byKey(shape: Pick<Shape<never>, 'table' | 'columns'>, key: string): string {
  return `select ${shape.columns.join(', ')} from ${shape.table} where account_id = ? and ${key} = ?`;
}

/** Numbers begin at 1. */
const nobody = 0;

/** The texts of the statements. Reads by key take a tenth of the time of one that joins. */
export const hotStatements = {
  accessToken: byKey(rows.accessTokens, 'id'),
  client: `${byKey(rows.tokenClients, 'app_id')} and ${present('app', 'clients', 'app_id')}`,
  credentialToken: byKey(rows.credentialTokens, 'id'),
  credential: byKey(rows.credentials, 'id'),
  grantClaims: byKey({ table: 'grant_claims', columns: ['claims'] }, 'grant_id'),
};

/** Reads everything as of one moment. Taking the lock of readers once saves more time than the two statements cost. */
function readTogether<Result>(connection: Sqlite.Database, read: () => Result): Result {
  if (connection.inTransaction) return read();
  statement(connection, 'begin').run();
  try {
    return read();
  } finally {
    // SQLite ends the transaction itself at an error of the disk.
    if (connection.inTransaction) statement(connection, 'commit').run();
  }
}

export const findAccessTokens: HotVerbs['findAccessTokens'] = (db, accountId, ids) =>
  onConnection(db, (connection) =>
    readTogether(connection, () => ids.map((id) => standingOf(connection, accountId, id))),
  );

function standingOf(connection: Sqlite.Database, accountId: number, id: number): AccessTokenStanding | null {
  const one = (text: string, ...key: Cell[]) => statement(connection, text).get(...key);
  const tokenRow = one(hotStatements.accessToken, accountId, id);
  if (!tokenRow) return null;
  const token = rows.accessTokens.read(tokenRow);
  const clientRow = one(hotStatements.client, accountId, token.appId);
  const grantRow = token.grantId === null ? null : one(sqliteStatements.findGrant, accountId, token.grantId);
  const userRow = token.userId === null ? null : one(sqliteStatements.findUser, accountId, token.userId);
  // A token whose client, grant or user was removed no longer counts.
  if (!clientRow || grantRow === undefined || userRow === undefined) return null;
  const grant = grantRow && rows.grants.read(grantRow);
  // A token by exchange also depends on the access to the app of the grant.
  const appIds = grant && grant.appId !== token.appId ? [token.appId, grant.appId] : [token.appId];
  const isAssigned = (appId: number) =>
    one(sqliteStatements.isAssigned, accountId, appId, token.userId, token.grantId) !== undefined;
  return {
    token,
    client: rows.tokenClients.read(clientRow),
    grant,
    user: userRow && rows.tokenUsers.read(userRow),
    assigned: token.userId !== null && appIds.every(isAssigned),
  };
}

function credentialTokenOf(connection: Sqlite.Database, accountId: number, id: number): CredentialToken | null {
  const tokenRow = statement(connection, hotStatements.credentialToken).get(accountId, id);
  const token = tokenRow && rows.credentialTokens.read(tokenRow);
  // Read in any case: the time of a lookup must not reveal whether the token exists.
  const credentialRow = statement(connection, hotStatements.credential).get(accountId, token?.credentialId ?? nobody);
  return token && credentialRow ? { token, credential: rows.credentials.read(credentialRow) } : null;
}

export const findCredentialTokens: HotVerbs['findCredentialTokens'] = (db, accountId, ids) =>
  onConnection(db, (connection) => ids.map((id) => credentialTokenOf(connection, accountId, id)));

export const findGrantClaims: HotVerbs['findGrantClaims'] = (db, accountId, ids) =>
  onConnection(db, (connection) =>
    ids.map((id) => {
      const row = statement(connection, hotStatements.grantClaims).get(accountId, id);
      return row ? JSON.parse(String(row['claims'])) : null;
    }),
  );
