/** Statements of Knex on SQLite are prepared once. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import Sqlite from 'better-sqlite3';
import { plannedOnce, preparerOf } from '../../src/store/knex/sqlite/statements.ts';

describe('statements on a connection to SQLite', () => {
  function open() {
    const connection = new Sqlite(':memory:');
    connection.exec('create table things (id integer); insert into things values (1)');
    return { connection, preparer: preparerOf(connection) };
  }

  it('are prepared once per text and connection', () => {
    const { connection, preparer } = open();
    const read = preparer.prepare('select * from things');
    assert.equal(preparerOf(connection).prepare('select * from things'), read);
    assert.notEqual(open().preparer.prepare('select * from things'), read);
    preparer.prepare('insert into things values (?)').run(2);
    assert.deepEqual(preparer.prepare('select * from things').all(), [{ id: 1 }, { id: 2 }]);
  });

  it('return current rows after a table changed', () => {
    const { preparer } = open();
    assert.deepEqual(preparer.prepare('select * from things').all(), [{ id: 1 }]);
    preparer.prepare("alter table things add column name text default 'one'").run();
    assert.deepEqual(preparer.prepare('select * from things').all(), [{ id: 1, name: 'one' }]);
  });

  it('are kept up to a limit', () => {
    const { preparer } = open();
    const first = preparer.prepare('select 0 as number');
    for (let number = 1; number < 500; number += 1) preparer.prepare(`select ${number} as number`);
    assert.equal(preparer.prepare('select 0 as number'), first);
    preparer.prepare('select 500 as number');
    assert.notEqual(preparer.prepare('select 0 as number'), first);
    assert.deepEqual(first.all(), [{ number: 0 }], 'an evicted one is still valid');
  });

  it('get parameters as expressions, which change no value and no plan', () => {
    const written = `select '?', "a?", \`b?\`, 'it''s ?' from things where id = ? and name in (?, ?) limit ?`;
    const sent = `select '?', "a?", \`b?\`, 'it''s ?' from things where id = +? and name in (+?, +?) limit +?`;
    assert.equal(plannedOnce(written), sent);
    const { connection, preparer } = open();
    connection.exec('create table names (name text primary key) strict');
    const values = [1, 1.5, 'one', '1', null, Buffer.from([1])];
    for (const value of values) {
      assert.deepEqual(preparer.prepare('select ? as value, typeof(?) as type').all(value, value), [
        { value, type: connection.prepare('select typeof(?)').pluck().get(value) },
      ]);
    }
    preparer.prepare('insert into names values (?)').run('1');
    assert.deepEqual(preparer.prepare('select name from names where name = ? order by name').all('1'), [{ name: '1' }]);
    assert.deepEqual(preparer.prepare('select id from things where id = ?').all('1'), [{ id: 1 }]);
    const [plan] = preparer.prepare('explain query plan select * from names where name = ? order by name').all('1');
    assert.match((plan as { detail: string }).detail, /^SEARCH names USING .*\(name=\?\)/);
  });

  it('of savepoints, which have names of their own, take no place', () => {
    const { preparer } = open();
    const first = preparer.prepare('select 0 as number');
    for (let number = 0; number < 1000; number += 1) preparer.prepare(`savepoint point${number}`);
    assert.equal(preparer.prepare('select 0 as number'), first);
  });
});
