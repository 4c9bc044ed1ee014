import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lineOf } from '../../src/cli/audit-commands.ts';

test("no value in an event's line can be mistaken for another", () => {
  const event = {
    accountId: 1,
    id: 7,
    at: 0,
    action: 'sign_in.failed',
    outcome: 'refused',
    requestId: null,
    hash: '',
    actorType: 'user',
    actorId: 3,
    targetType: 'account',
    targetId: null,
  } as const;
  const start = '7  1970-01-01T00:00:00.000Z  sign_in.failed  user 3  account';
  for (const [source, shown] of [
    [null, '-'],
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8::1', '2001:db8::1'],
    ['-', '"-"'],
    ['', '""'],
    ['192.0.2.1  {"name":"forged"}', '"192.0.2.1  {\\"name\\":\\"forged\\"}"'],
    ['a\n8', '"a\\n8"'],
  ] as const) {
    assert.equal(lineOf({ ...event, source, detail: '{"name":"a  b=c"}' }), `${start}  ${shown}  {"name":"a  b=c"}\n`);
  }
});
