/** That the plans of statements are read: planted scans are found, on both databases. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rotateAll, rotateAllBesideClearing } from '../../src/store/knex/postgres/sql-consume.ts';
import { present } from '../../src/store/knex/removed.ts';
import { readsRemoved } from '../support/expected-readers.ts';
import { readPlans } from '../support/plans.ts';
import { emptyDatabases } from '../support/stores.ts';

const none = { sqlite: [], postgres: [] };

const planted = [
  ['a table without a condition', 'select * from users where email = $'],
  ['all rows of an account', 'delete from grants where account_id = $ and revoked_because = $'],
  [
    'a join of all rows of an account',
    'select 1 from users u join sessions s on s.user_id = u.id where u.account_id = $',
  ],
  ['a page that is sorted first', 'select * from users where account_id = $ order by locked_until limit 10'],
] as const;

const indexed = [
  'select * from users where account_id = $ and id = $',
  'select * from users where account_id = $ and id > $ order by id limit 10',
  'delete from app_users where account_id = $ and user_id = $',
  'select count(*) as total from users where users.account_id = $',
];

/** In the database's syntax for parameters. */
function numbered(sql: string): string {
  let number = 0;
  return sql.replaceAll('$', () => `$${++number}`);
}

describe('plans of statements', () => {
  for (const [what, sql] of planted) {
    it(`finds ${what}`, async () => {
      const found = await readPlans({ ...none, sqlite: [sql.replaceAll('$', '?')] }, emptyDatabases);
      assert.match(found.join('\n'), /^sqlite: (SCAN|SEARCH) \w+/);
    });
  }

  it('finds statements on PostgreSQL that no index serves', async () => {
    const found = await readPlans(
      { ...none, postgres: [numbered('select * from users where email = $')] },
      emptyDatabases,
    );
    assert.match(found.join(), /^postgres: Seq Scan on users/);
  });

  it('accepts statements that an index serves', async () => {
    const statements = {
      sqlite: indexed.map((sql) => sql.replaceAll('$', '?')),
      postgres: indexed.map(numbered),
    };
    assert.deepEqual(await readPlans(statements, emptyDatabases), []);
  });

  it('skips statements that do not fit this schema', async () => {
    assert.deepEqual(
      await readPlans({ sqlite: ['select 1 from nowhere'], postgres: ['select 1 from nowhere'] }, emptyDatabases),
      [],
    );
  });
});

describe('statements that read what can be removed', () => {
  const reads = [
    ['users', 'select * from `users` where `account_id` = ? and `id` = ?'],
    ['clients', 'select g.* from "grants" as "g" inner join "clients" as "c" on c.app_id = g.app_id where g.id = $1'],
    [
      'role_users',
      'update grants set revoked_at = ? where user_id in (select user_id from role_users where role_id = ?)',
    ],
    ['users', 'update `users` set `firstname` = ? where `account_id` = ? and `id` = ?'],
    // The rest of the statement asks for other things than the user.
    ['users', rotateAllBesideClearing.replace(present('user', 'u'), 'true')],
  ] as const;
  for (const [table, sql] of reads) {
    it(`are found when they do not exclude removed rows: ${table}`, () => {
      assert.equal(readsRemoved(sql), table);
    });
  }

  it('are accepted when they do, and when they clear or lock rows', () => {
    const fine = [
      `select * from users where id = ? and ${present('user', 'users')}`,
      rotateAll,
      rotateAllBesideClearing,
      'delete from users where account_id = ? and id = ?',
      'select `id` from `roles` where `account_id` = ? and `id` = ? for key share',
      'select * from grants where account_id = ?',
    ];
    for (const sql of fine) assert.equal(readsRemoved(sql), null);
  });
});
