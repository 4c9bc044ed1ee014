/** Which errors of a driver may end by themselves. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPassing } from '../../src/store/knex/errors.ts';

const coded = (code: string, message = 'as the driver says') => Object.assign(new Error(message), { code });
const named = (name: string) => Object.assign(new Error('as Knex says'), { name });

test('an error is passing when trying again may succeed without an operator who restores something', () => {
  const passing = [
    // PostgreSQL: connections, resources, an operator, a disk, locks, races, a standby, an idle transaction.
    ...['08000', '08006', '53100', '53300', '57014', '57P01', '57P03', '58030'].map((code) => coded(code)),
    ...['55P03', '40001', '40P01', '25006', '25P03'].map((code) => coded(code)),
    ...['SQLITE_BUSY', 'SQLITE_BUSY_SNAPSHOT', 'SQLITE_LOCKED', 'SQLITE_FULL', 'SQLITE_IOERR_WRITE'].map((code) =>
      coded(code),
    ),
    ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN'].map((code) => coded(code)),
    named('KnexTimeoutError'),
    new Error('Connection terminated unexpectedly'),
    new Error('select 1 - timeout expired'),
    new Error('aborted'),
  ];
  for (const error of passing)
    assert.ok(isPassing(error), `${error.name} ${(error as { code?: string }).code} ${error.message}`);
  const lasting = [
    // A database, schema, table, column, right, password, or session that is gone.
    ...['3D000', '3F000', '42P01', '42703', '42501', '28000', '28P01', '26000', '42P05'].map((code) => coded(code)),
    // An object in use or in no state for it, other ends of transactions, constraints, damage, a statement at fault.
    ...['55000', '55006', '40002', '40003', '23505', 'XX001', '42601', '0A000'].map((code) => coded(code)),
    ...['SQLITE_CORRUPT', 'SQLITE_NOTADB', 'SQLITE_CONSTRAINT_UNIQUE'].map((code) => coded(code)),
    new Error('aborted by somebody'),
    new Error('as nobody says'),
    'Connection refused in words',
    null,
  ];
  for (const error of lasting) assert.ok(!isPassing(error), `${(error as { code?: string } | null)?.code} ${error}`);
});
