/** Which errors of drivers are worth trying again, without an operator. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPassing } from '../../src/store/knex/errors.ts';

const coded = (code: string, message = 'for the test') => Object.assign(new Error(message), { code });

test('outages of the database and of its sockets pass by themselves', () => {
  for (const code of ['53300', '57P01', '40001', '55P03', '08006', 'SQLITE_BUSY', 'SQLITE_FULL', 'ECONNREFUSED']) {
    assert.equal(isPassing(coded(code)), true, code);
  }
  for (const message of ['Connection terminated unexpectedly', 'create index x - timeout expired']) {
    assert.equal(isPassing(new Error(message)), true, message);
  }
});

test('what an operator took, what the state forbids, and what is wrong with the statement do not pass', () => {
  for (const code of ['42501', '42P01', '28P01', '3D000', '26000', '55000', '55006', '40002', '42601', '0A000']) {
    assert.equal(isPassing(coded(code)), false, code);
  }
  assert.equal(isPassing(new Error('something else')), false);
  assert.equal(isPassing('no error'), false);
});
