/** The bearer of a request to the API: prepared statements, for a query that Knex builds takes longer than all the rest of it. */

import type { Knex } from 'knex';
import type { CredentialToken } from '../callers.ts';
import { byKey } from './hot-sqlite.ts';
import * as rows from './rows.ts';
import { onConnection } from './sqlite-client.ts';
import { run } from './statements-postgres.ts';
import { statement } from './statements-sqlite.ts';

/** Numbers begin at 1. */
const nobody = 0;

/** The texts of the statements on SQLite. */
export const callerStatements = {
  token: byKey(rows.credentialTokens, 'id'),
  credential: byKey(rows.credentials, 'id'),
};

export function findCredentialTokenOnSqlite(db: Knex, accountId: number, id: number): Promise<CredentialToken | null> {
  return onConnection(db, (connection) => {
    const tokenRow = statement(connection, callerStatements.token).get(accountId, id);
    const token = tokenRow && rows.credentialTokens.read(tokenRow);
    // Asked for in any case: the time of a search must not tell whether there is such a token.
    const credentialRow = statement(connection, callerStatements.credential).get(
      accountId,
      token?.credentialId ?? nobody,
    );
    return token && credentialRow ? { token, credential: rows.credentials.read(credentialRow) } : null;
  });
}

const readToken = rows.credentialTokens.reader('t_');
const readCredential = rows.credentials.reader('c_');

/** A token of a credential with the credential. */
export const findCredentialToken = `
  select ${[...rows.credentialTokens.select('t', 't_'), ...rows.credentials.select('c', 'c_')].join(', ')}
  from credential_tokens t
  join credentials c on c.account_id = t.account_id and c.id = t.credential_id
  where t.account_id = $1 and t.id = $2`;

export async function findCredentialTokenOnPostgres(
  db: Knex,
  accountId: number,
  id: number,
): Promise<CredentialToken | null> {
  const [row] = await run(db, 'find-credential-token', findCredentialToken, [accountId, id]);
  return row ? { token: readToken(row), credential: readCredential(row) } : null;
}
