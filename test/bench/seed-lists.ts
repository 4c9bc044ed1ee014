/**
 * Fills the database that the environment names with an account of so many users, made inside the database, and writes
 * what a caller needs to know of it into a file.
 *
 *     node test/bench/seed-lists.ts <file> <users>
 */
import { writeFileSync } from 'node:fs';
import { withServices } from '../../src/cli/session.ts';
import { readConfig } from '../../src/config.ts';
import { createAccount, setAccount } from '../../src/domain/accounts/accounts.ts';
import { issueCredentialToken } from '../../src/domain/callers/credential-tokens.ts';
import { createCredential } from '../../src/domain/callers/credentials.ts';
import type { Services } from '../../src/services.ts';
import { analyze, execute } from '../support/rows.ts';

/** What a caller of the account knows. */
export interface SeededList {
  readonly host: string;
  /** Bearer that may read users. */
  readonly token: string;
}

/** So many users share each value of a text. */
const values = 10;
const texts = ['firstname', 'lastname', 'title', 'department', 'company', 'phone', 'external_id'];

/** One user after the other, each with a value in every column that the list knows. */
function insertUsers(accountId: number, first: number, last: number, now: number): string {
  const email = "'user' || n || '@example.com'";
  const username = "'name' || n";
  const columns: readonly (readonly [name: string, value: string])[] = [
    ['account_id', String(accountId)],
    ['email', email],
    ['email_key', email],
    ['username', username],
    ['username_key', username],
    ...texts.map((name) => [name, `'${name} ' || (n % ${values})`] as const),
    ['group_id', `n % ${values} + 1`],
    ['manager_user_id', `(select min(id) from users where account_id = ${accountId})`],
    ['policy_id', `(select min(id) from policies where account_id = ${accountId})`],
    ['status', '1'],
    ['state', '1'],
    ['counted', '1'],
    ['invalid_login_attempts', '0'],
    ['last_login', `${now} - n`],
    ['created_at', `${now} - n / 2`],
    ['updated_at', `${now} - n / 3`],
  ];
  const names = columns.map(([name]) => name).join(', ');
  return `with recursive copies (n) as (select ${first} union all select n + 1 from copies where n < ${last})
    insert into users (${names}) select ${columns.map(([, value]) => value).join(', ')} from copies`;
}

async function seed(services: Services, count: number): Promise<SeededList> {
  await createAccount(services, { subdomain: 'lists' });
  const account = await setAccount(services, 'lists', { 'limit.api-2': 'off' });
  const { clientId } = await createCredential(services, account, ['read_users']);
  const credential = await services.store.callers.findCredential(account.id, clientId);
  if (!credential) throw new Error('the credential was not stored');
  const { accessToken } = await issueCredentialToken(services, account, credential);
  const { databaseUrl } = readConfig();
  const now = services.clock.now();
  // The first one is everybody's manager.
  await execute(databaseUrl, insertUsers(account.id, 1, 1, now));
  await execute(databaseUrl, insertUsers(account.id, 2, count, now));
  await execute(databaseUrl, `insert into user_counts (account_id, delta) values (${account.id}, ${count})`);
  await services.store.refreshStatistics();
  await analyze({ store: services.store, url: databaseUrl });
  const { signal } = new AbortController();
  while (!(await services.store.indexUsers(1_000, signal)).isLast);
  return { host: new URL(account.baseUrl).host, token: accessToken };
}

const [file = '', users = '0'] = process.argv.slice(2);
writeFileSync(file, JSON.stringify(await withServices((services) => seed(services, Number(users)))), { mode: 0o600 });
