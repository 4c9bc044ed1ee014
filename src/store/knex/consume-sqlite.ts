/**
 * A batch of refresh tokens on SQLite: prepared statements on Knex's own connection, run without a pause between
 * `begin immediate` and `commit`. Building each statement with Knex would cost more than all of this.
 */
import type Sqlite from 'better-sqlite3';
import type { Knex } from 'knex';
import type { Consumption, ConsumptionOutcome } from '../store.ts';
import type { Consume } from './grants.ts';
import { type GrantStanding, judge, reuseReason, rotated } from './judge.ts';
import { assigned } from './roles.ts';
import * as rows from './rows.ts';
import type { Cell, DbRow } from './shape.ts';
import { assertDurable, patiently } from './sqlite-client.ts';

interface Statements {
  readonly find: Sqlite.Statement<[number, number], DbRow>;
  readonly rotate: Sqlite.Statement<Cell[]>;
  readonly revoke: Sqlite.Statement<Cell[]>;
  readonly addToken: Sqlite.Statement<Cell[]>;
}

const prepared = new WeakMap<Sqlite.Database, Statements>();

const columns = [...rows.grants.select('g', 'g_'), ...rows.users.select('u', 'u_')].join(', ');

/** The texts of the statements. */
export const sqliteStatements = {
  find: `select ${columns}, ${assigned('g')} as assigned from grants g
    join users u on u.account_id = g.account_id and u.id = g.user_id where g.account_id = ? and g.id = ?`,
  rotate: `update grants set current_digest = ?, previous_digest = ?, sealed_successor = ?, rotated_at = ?,
    generation = ?, idle_expires_at = ? where account_id = ? and id = ? and current_digest = ?`,
  revoke: `update grants set revoked_at = ?, revoked_because = ?
    where account_id = ? and id = ? and revoked_at is null`,
  addToken: `insert into access_tokens
    (account_id, digest, grant_id, app_id, user_id, scope, issued_at, expires_at) values (?, ?, ?, ?, ?, ?, ?, ?)`,
};

function statementsOf(connection: Sqlite.Database): Statements {
  const known = prepared.get(connection);
  if (known) return known;
  const statements: Statements = {
    find: connection.prepare<[number, number], DbRow>(sqliteStatements.find),
    rotate: connection.prepare<Cell[]>(sqliteStatements.rotate),
    revoke: connection.prepare<Cell[]>(sqliteStatements.revoke),
    addToken: connection.prepare<Cell[]>(sqliteStatements.addToken),
  };
  prepared.set(connection, statements);
  return statements;
}

const readGrant = rows.grants.reader('g_');
const readUser = rows.users.reader('u_');

function find({ find }: Statements, { accountId, grantId }: Consumption): GrantStanding | null {
  const row = find.get(accountId, grantId);
  return row ? { grant: readGrant(row), user: readUser(row), assigned: row['assigned'] === 1 } : null;
}

function addToken({ addToken }: Statements, { grant, user }: GrantStanding, consumption: Consumption): number {
  const { digest, issuedAt, expiresAt } = consumption.accessToken;
  const scope = JSON.stringify(consumption.scope ?? grant.scope);
  const added = addToken.run(grant.accountId, digest, grant.id, grant.appId, user.id, scope, issuedAt, expiresAt);
  return Number(added.lastInsertRowid);
}

function rotate({ rotate }: Statements, before: GrantStanding, consumption: Consumption): GrantStanding {
  const grant = rotated(before.grant, consumption);
  const changed = rotate.run(
    grant.currentDigest,
    grant.previousDigest,
    grant.sealedSuccessor,
    grant.rotatedAt,
    grant.generation,
    grant.idleExpiresAt,
    grant.accountId,
    grant.id,
    before.grant.currentDigest,
  );
  // The write lock is ours since before the row was read.
  if (changed.changes !== 1) throw new Error(`grant ${grant.id} changed under the write lock`);
  return { ...before, grant };
}

function consumeOne(statements: Statements, consumption: Consumption): ConsumptionOutcome {
  const standing = find(statements, consumption);
  const verdict = judge(standing, consumption);
  if (!standing) return { outcome: 'refused', reason: 'unknown' };
  const { grant, user } = standing;
  switch (verdict) {
    case 'rotate': {
      const after = rotate(statements, standing, consumption);
      return { outcome: 'rotated', grant: after.grant, user, accessTokenId: addToken(statements, after, consumption) };
    }
    case 'repeat':
      return { outcome: 'repeated', grant, user, accessTokenId: addToken(statements, standing, consumption) };
    case 'reuse':
      statements.revoke.run(consumption.now, reuseReason, grant.accountId, grant.id);
      return { outcome: 'reused', grantId: grant.id };
    default:
      return { outcome: 'refused', reason: verdict };
  }
}

function consumeAll(connection: Sqlite.Database, batch: readonly Consumption[]): ConsumptionOutcome[] {
  const statements = statementsOf(connection);
  return batch.map((consumption) => consumeOne(statements, consumption));
}

async function inTransaction(
  connection: Sqlite.Database,
  patienceMilliseconds: number,
  batch: readonly Consumption[],
): Promise<ConsumptionOutcome[]> {
  await patiently(connection, patienceMilliseconds, () => connection.exec('begin immediate'));
  try {
    const outcomes = consumeAll(connection, batch);
    connection.exec('commit');
    assertDurable(
      connection,
      outcomes.some(({ outcome }) => outcome !== 'refused'),
    );
    return outcomes;
  } catch (error) {
    // SQLite ends a transaction by itself on some errors (disk full).
    if (connection.inTransaction) connection.exec('rollback');
    throw error;
  }
}

/** `Consume` on SQLite. `patienceMilliseconds`: how long to wait for another process that writes. */
export function consumeOnSqlite(patienceMilliseconds: number): Consume {
  return async (db, batch) => {
    const client = db.client as Knex.Client; // The client of a transaction answers the transaction's connection.
    const connection: Sqlite.Database = await client.acquireConnection();
    try {
      return db.isTransaction
        ? consumeAll(connection, batch)
        : await inTransaction(connection, patienceMilliseconds, batch);
    } finally {
      await client.releaseConnection(connection);
    }
  };
}
