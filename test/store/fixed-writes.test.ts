import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fixedWrite } from '../../src/store/knex/fixed-writes.ts';

describe('fixed writes', () => {
  it('are of what nothing depends on', () => {
    const write = fixedWrite('test-user', 'update users set last_login = ? where account_id = ? and id = ?');
    assert.equal(write.kind, 'write');
    assert.equal(write.numbered, 'update users set last_login = $1 where account_id = $2 and id = $3');
    for (const [at, text] of [
      'update users set counted = ? where account_id = ?',
      'update users set counted=-1 where account_id = ?',
      'update users set counted = -1 returning id',
      'update users set title = (select name from roles where id = 1), counted = -1 where account_id = ?',
      'update policies set name = ? where account_id = ?',
      'insert into users (account_id, counted) values (?, ?)',
      'insert into signing_keys (account_id) values (?)',
      'delete from hooks where account_id = ?',
      'select id from users where account_id = ?',
      'with gone as (delete from hooks where account_id = ?) update users set title = ? where account_id = ?',
    ].entries()) {
      assert.throws(() => fixedWrite(`test-${at}`, text), /is no plain write/, text);
    }
    assert.throws(() => fixedWrite('test-unknown', 'delete from nothing where account_id = ?'), { code: 'internal' });
  });
});
