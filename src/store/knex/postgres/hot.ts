/** Named statements on Knex's own connection, for the functions that are called all the time. */

import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import type { AccessTokenStanding } from '../../grants.ts';
import { linkedAtAll, stillAssigned } from '../assigned.ts';
import { atFirst } from '../at-account.ts';
import { resultsByAccount } from '../by-account.ts';
import { dependantOf } from '../dependants.ts';
import type { Append, HotVerbs } from '../engine.ts';
import { present } from '../removed.ts';
import * as rows from '../rows.ts';
import type { DbRow } from '../shape.ts';
import { inTransaction } from '../transact.ts';
import { grantColumns } from '../unlinked.ts';
import { appendEvents } from './chain.ts';
import { run } from './statements.ts';

/** Where a table has them, no two rows of an account are alike in these columns. */
const names = ['digest', 'client_id', 'email_key', 'username_key'] as const;

/** The same with what depends on new users of one account, which would be another statement behind it (raising.ts). */
function withCount(db: Knex, inserted: Knex.QueryBuilder, added: Parameters<Append>[3]): Knex.QueryBuilder {
  const count = { account_id: added[0]?.['account_id'], delta: added.length };
  return db.with('added', inserted).with('counted', db('user_counts').insert(count)).from('added');
}

/** The names of the statements that add one row, by their text. */
const insertNames = new Map<string, string>();

/** Prepared: the rows of a table nearly always have the same columns. Only where nothing depends on the row. */
async function insertOne(db: Knex, table: string, numbered: string, row: Parameters<Append>[3][0]): Promise<number[]> {
  const columns = Object.keys(row);
  const places = columns.map((_, index) => `$${index + 1}`);
  const text = `insert into ${table} (${columns.join(', ')}) values (${places.join(', ')}) returning ${numbered}`;
  const name = insertNames.get(text) ?? `append-${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;
  insertNames.set(text, name);
  const [added] = await run(db, name, text, Object.values(row));
  return [Number(added?.[numbered])];
}

/** One statement for rows of one account. By its names each row's number is found again. */
async function insert(db: Knex, table: string, numbered: string, added: Parameters<Append>[3]): Promise<number[]> {
  const [first] = added;
  if (!first) return [];
  const given = names.filter((name) => name in first);
  const nameOf = (row: DbRow) => JSON.stringify(given.map((name) => row[name]));
  const on = dependantOf({ table, operation: 'insert', columns: [], rows: added });
  if (added.length === 1 && on === null) return insertOne(db, table, numbered, first);
  const wanted = [numbered, ...given];
  const inserted = db(table)
    .insert([...added])
    .returning(wanted);
  const found: DbRow[] = await (on === 'user_count' ? withCount(db, inserted, added).select(wanted) : inserted);
  const numbers = new Map(found.map((row) => [nameOf(row), Number(row[numbered])]));
  return added.map((row) => numbers.get(nameOf(row)) ?? Number.NaN);
}

export const append: Append = async (db, table, numbered, added, eventsOf) => {
  const owned = added.map((row) => ({ accountId: Number(row['account_id']), row }));
  const insertAll = (on: Knex) =>
    resultsByAccount(on, owned, (tx, own) => {
      const rows = own.map(({ row }) => row);
      return insert(tx, table, numbered, rows);
    });
  if (!eventsOf) return insertAll(db);
  return inTransaction(db, async (tx) => {
    const numbers = await insertAll(tx);
    await appendEvents(tx, eventsOf(numbers));
    return numbers;
  });
};

const readToken = rows.accessTokens.reader('t_');
const readGrant = rows.grants.reader('g_');
const readUser = rows.tokenUsers.reader('u_');
const readClient = rows.tokenClients.reader('c_');
const readCredentialToken = rows.credentialTokens.reader('t_');
const readCredential = rows.credentials.reader('c_');

/**
 * An access token with everything that decides about it in an account without pending removals, and whether the account
 * has any.
 */
const accessTokenWithoutRemovals = `
  select ${[
    ...rows.accessTokens.select('t', 't_'),
    ...rows.grants.select('g', 'g_'),
    ...rows.tokenUsers.select('u', 'u_'),
    ...rows.tokenClients.select('c', 'c_'),
  ].join(', ')}, exists (select 1 from removals where account_id = $1) as removing, ${atFirst(linkedAtAll('t'), 't')}
    and (g.id is null or g.app_id = t.app_id or ${atFirst(linkedAtAll('g'), 'g')}) as assigned
  from access_tokens t
  join clients c on c.account_id = t.account_id and c.app_id = t.app_id
  left join grants g on g.account_id = t.account_id and g.id = t.grant_id
  left join users u on u.account_id = t.account_id and u.id = t.user_id
  where t.account_id = $1 and t.id = $2`;

/** The same in any account. */
const accessToken = `
  select ${[
    ...rows.accessTokens.select('t', 't_'),
    atFirst(grantColumns('g', 'g_'), 'g'),
    ...rows.tokenUsers.select('u', 'u_'),
    ...rows.tokenClients.select('c', 'c_'),
  ].join(', ')}, ${atFirst(stillAssigned('t', { grant: 'grant_id' }), 't')}
    and (g.id is null or g.app_id = t.app_id or ${atFirst(stillAssigned('g'), 'g')}) as assigned
  from access_tokens t
  join clients c on c.account_id = t.account_id and c.app_id = t.app_id and ${present('app', 'c', 'app_id')}
  left join grants g on g.account_id = t.account_id and g.id = t.grant_id
  left join users u on u.account_id = t.account_id and u.id = t.user_id and ${present('user', 'u')}
  where t.account_id = $1 and t.id = $2`;

/** A token of a credential with the credential. */
const credentialToken = `
  select ${[...rows.credentialTokens.select('t', 't_'), ...rows.credentials.select('c', 'c_')].join(', ')}
  from credential_tokens t
  join credentials c on c.account_id = t.account_id and c.id = t.credential_id
  where t.account_id = $1 and t.id = $2`;

/**
 * The statement for each of several ids `$2`. `offset 0` keeps the planner from joining all of them at once: it estimates
 * an account of average size, and would read all clients and users of a large one. The inner `select` hides the number
 * of ids from it: otherwise it would find it worthwhile to plan each batch, which costs more than running it.
 */
function forEachId(text: string): string {
  return `select found.* from unnest((select $2::bigint[])) as given (id)
    cross join lateral (${text.replaceAll('$2', 'given.id')} offset 0) found`;
}

/** The claims that were asked for with a grant. */
const grantClaims = 'select grant_id as t_id, claims from grant_claims where account_id = $1 and grant_id = $2';

/** The texts of the statements. */
export const hotStatements = {
  accessTokensWithoutRemovals: forEachId(accessTokenWithoutRemovals),
  accessTokens: forEachId(accessToken),
  credentialTokens: forEachId(credentialToken),
  grantClaims: forEachId(grantClaims),
};

/** In the order of the ids. Rows name what was looked up by `t_id`. */
function inOrder<Found>(ids: readonly number[], found: readonly DbRow[], read: (row: DbRow) => Found | null) {
  const byId = new Map(found.map((row) => [Number(row['t_id']), row]));
  return ids.map((id) => {
    const row = byId.get(id);
    return row ? read(row) : null;
  });
}

export const findAccessTokens: HotVerbs['findAccessTokens'] = async (db, accountId, ids) => {
  const key = [accountId, ids];
  // Conditions about removals take as long as all the rest.
  const plain = await run(db, 'access-tokens-plain', hotStatements.accessTokensWithoutRemovals, key);
  const isRemoving = plain.some((row) => row['removing']);
  const found = isRemoving ? await run(db, 'access-tokens', hotStatements.accessTokens, key) : plain;
  return inOrder(ids, found, readStanding);
};

function readStanding(row: DbRow): AccessTokenStanding | null {
  const token = readToken(row);
  const grant = row['g_id'] === null ? null : readGrant(row);
  const user = row['u_id'] === null ? null : readUser(row);
  // A token whose grant or user was removed no longer counts.
  if ((token.grantId !== null && !grant) || (token.userId !== null && !user)) return null;
  return { token, grant, user, client: readClient(row), assigned: row['assigned'] === true };
}

export const findCredentialTokens: HotVerbs['findCredentialTokens'] = async (db, accountId, ids) => {
  const found = await run(db, 'credential-tokens', hotStatements.credentialTokens, [accountId, ids]);
  return inOrder(ids, found, (row) => ({ token: readCredentialToken(row), credential: readCredential(row) }));
};

export const findGrantClaims: HotVerbs['findGrantClaims'] = async (db, accountId, ids) => {
  const found = await run(db, 'grant-claims', hotStatements.grantClaims, [accountId, ids]);
  return inOrder(ids, found, (row) => JSON.parse(String(row['claims'])));
};
