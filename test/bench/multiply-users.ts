/** A million users in seconds: copies of the one user's rows, made inside SQLite. */

import { closeSync, fsyncSync, openSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import type { Account } from '../../src/domain/accounts/account.ts';
import { digestOf } from '../../src/domain/secrets.ts';
import { newRefreshToken } from '../../src/domain/tokens/token-text.ts';
import type { Services } from '../../src/services.ts';

/** So many of the copied grants get a refresh token that the bench knows, evenly spread over the table. */
const mostKnownTokens = 20_000;

/** Random text of the length of a digest or a sealed text. */
const text = (length: number) => `substr(hex(randomblob(${Math.ceil(length / 2)})), 1, ${length})`;

const copiedEmail = `'copy' || n || '@example.com'`;

/** In what copy number `n` of `count` differs from the row it is copied from, by table and column. */
const differences: readonly (readonly [table: string, different: Readonly<Record<string, string>>])[] = [
  ['users', { id: 'id + n', email: copiedEmail, email_key: copiedEmail, lastname: `'Lovelace ' || n` }],
  ['app_users', { user_id: 'user_id + n' }],
  [
    'grants',
    {
      id: 'id + n',
      user_id: 'user_id + n',
      sid: text(22),
      current_digest: text(43),
      // As after a refresh, where a family spends its life.
      previous_digest: text(43),
      successor_salt: text(22),
      rotated_at: 'created_at',
      generation: '1',
    },
  ],
  // Of the last hour's refreshes.
  ...[0, 1, 2, 3].map((turn): [string, Readonly<Record<string, string>>] => [
    'access_tokens',
    { id: `id + n + ${turn} * count`, grant_id: 'grant_id + n', user_id: 'user_id + n', digest: text(43) },
  ]),
];

/** Copies the first row of a table `count` times, with all columns that it has. */
function copyRow(db: Sqlite.Database, table: string, different: Readonly<Record<string, string>>, count: number): void {
  const columns = (db.pragma(`table_info(${table})`) as { readonly name: string }[]).map(({ name }) => name);
  db.exec(
    `with recursive copies (n, count) as (select 1, ${count} union all select n + 1, count from copies where n < count)
      insert into ${table} (${columns.join(', ')})
      select ${columns.map((name) => different[name] ?? name).join(', ')}
      from copies cross join (select * from ${table} limit 1)`,
  );
}

/** Gives a spread of the grants that follow `first` authentic tokens; answers them. */
function giveTokens(
  services: Pick<Services, 'vault' | 'random'>,
  db: Sqlite.Database,
  account: Account,
  first: number,
  count: number,
): string[] {
  const setDigest = db.prepare('update grants set current_digest = ? where id = ?');
  const step = Math.max(1, Math.floor(count / mostKnownTokens));
  const tokens: string[] = [];
  for (let id = first + step; id <= first + count; id += step) {
    const token = newRefreshToken(services.vault, services.random, account, id);
    setDigest.run(digestOf(token), id);
    tokens.push(token);
  }
  return tokens;
}

/**
 * Makes `count` users of the account's one user, each with access, a live grant and four live access tokens, in the
 * SQLite database at `url`, which must not be in use. Answers refresh tokens of up to 20,000 of them in a random order;
 * of the other grants nobody knows the token.
 */
export function multiplyUsers(
  services: Pick<Services, 'vault' | 'random'>,
  account: Account,
  url: string,
  count: number,
): string[] {
  const file = url.slice('sqlite:'.length);
  const db = new Sqlite(file);
  // Nothing is lost here that could not be made again.
  db.pragma('synchronous = OFF');
  db.pragma('cache_size = -500000');
  const tokens = db.transaction(() => {
    const { first } = db.prepare('select id as first from grants').get() as { first: number };
    for (const [table, different] of differences) copyRow(db, table, different, count - 1);
    db.exec(`insert into user_counts (account_id, delta) values (${account.id}, ${count - 1})`);
    return giveTokens(services, db, account, first, count - 1);
  })();
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
  // Or the disk would still be busy with it while others are measured.
  const descriptor = openSync(file, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
  return shuffle(tokens);
}

function shuffle(tokens: string[]): string[] {
  for (let last = tokens.length - 1; last > 0; last -= 1) {
    const other = Math.floor(Math.random() * (last + 1));
    [tokens[last], tokens[other]] = [tokens[other] ?? '', tokens[last] ?? ''];
  }
  return tokens;
}
