/** That statements which leave their account are found: planted ones, and what the hot ones must be. */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { fixedStatements } from '../../src/store/knex/fixed-reads.ts';
import { lockHead } from '../../src/store/knex/postgres/chain.ts';
import { heldAccess } from '../../src/store/knex/postgres/dialect.ts';
import { hotStatements } from '../../src/store/knex/postgres/hot.ts';
import {
  lockGrants,
  rotateAll,
  rotateAllBesideClearing,
  writeOutcomes,
} from '../../src/store/knex/postgres/sql-consume.ts';
import { present } from '../../src/store/knex/removed.ts';
import { accountPositions } from '../support/account-positions.ts';
import { type Judge, openJudge } from '../support/account-statements.ts';
import { emptyDatabases } from '../support/stores.ts';

describe('statements that leave their account', () => {
  let judge: Judge;

  before(async () => {
    judge = await openJudge(await emptyDatabases.postgres());
  });
  after(() => judge.close());

  const planted = [
    ['select * from users where id = $1', 'reads users (users)'],
    ['select * from users where account_id = any($1::bigint[])', 'reads users (users)'],
    ['select * from users where account_id = $1 or account_id = $2', 'reads users (users)'],
    ['select * from users where (account_id = $1 or id = $2) and status = 1', 'reads users (users)'],
    ['select 1 from users u join sessions s on s.user_id = u.id where u.account_id = $1', 'reads sessions (s)'],
    [
      'select 1 from users u where u.account_id = $1 and exists (select 1 from removals where object_id = u.id)',
      'reads removals (removals)',
    ],
    ['update grants set sid = null where account_id > $1', 'reads grants (grants)'],
    [
      'delete from codes where (account_id, digest) in (select account_id, digest from codes where expires_at < $1)',
      'reads codes (codes)',
    ],
    [
      'insert into ended_requests (account_id, digest, expires_at) select * from unnest($1::bigint[], $2::text[], $3::bigint[])',
      'adds to ended_requests from unnest.unnest',
    ],
    [
      `with given as materialized (select * from unnest($1::bigint[], $2::bigint[]) as t (account_id, id))
        select g.* from given join grants g on g.account_id = given.account_id and g.id = given.id`,
      'reads grants (g)',
    ],
    [
      'with raised as (update accounts set generation = generation + 1 where id = $1) update clients set name = $2 where account_id = $1',
      "writes accounts beside an account's rows",
    ],
  ] as const;
  for (const [sql, words] of planted) {
    it(`are found: ${sql}`, async () => {
      const found = await judge.leaving(sql);
      assert.ok(found?.includes(words), `${found}`);
    });
  }

  const local = [
    'select * from users where account_id = $1 and id = $2',
    'select * from accounts where subdomain = $1',
    'select * from api_keys where digest = $1',
    'select 1 from users u join sessions s on s.account_id = u.account_id and s.user_id = u.id where u.account_id = $1',
    `select 1 from users u where u.account_id = $1 and ${present('user', 'u')}`,
    'insert into ended_requests (account_id, digest, expires_at) values ($1, $2, $3)',
    'insert into ended_requests (account_id, digest, expires_at) values ($1, $2, $3), ($4, $5, $6)',
    'insert into ended_requests (account_id, digest, expires_at) select $1, t.* from unnest($2::text[], $3::bigint[]) as t',
    'update users set manager_user_id = null where account_id = $1 and id in (select id from users where account_id = $1)',
    ...[
      rotateAll,
      rotateAllBesideClearing,
      lockGrants,
      writeOutcomes,
      lockHead,
      ...Object.values(hotStatements),
      heldAccess,
    ],
    ...fixedStatements.map(({ numbered }) => numbered),
  ];
  for (const sql of local) {
    it(`are not: ${sql.replaceAll(/\s+/g, ' ').slice(0, 120)}`, async () => {
      assert.deepEqual(await judge.leaving(sql), []);
    });
  }

  it('name accounts by parameters, whose values are compared', () => {
    const positions = [
      ['select 1 from users where "account_id" = $2 and id = $1', [2]],
      ['insert into "codes" ("account_id", "digest") values ($1, $2), ($3, $4)', [1, 3]],
      ['insert into codes (digest, account_id) values ($1, DEFAULT)', []],
      ['select 1 from "users" where ("account_id", "id") in (($1, $2), ($3, $4))', [1, 3]],
      ['select 1 from users where u.account_id = cast($4 as bigint)', [4]],
    ] as const;
    for (const [sql, expected] of positions) assert.deepEqual(accountPositions(sql), expected, sql);
  });
});
