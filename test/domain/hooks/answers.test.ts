/** What answers of functions mean, without running any. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { parseAnswer, readPolicyAnswer } from '../../../src/domain/hooks/answers.ts';
import { readMigrationAnswer } from '../../../src/domain/hooks/migration-answer.ts';

const policies = new Set([7]);

it('a pre-authentication answer keeps the policy, chooses one of the account, or refuses; others are ignored', () => {
  const read = (answer: unknown) => readPolicyAnswer(parseAnswer(JSON.stringify(answer)), policies)?.says ?? 'nothing';
  for (const keeps of [null, {}, { success: true }, { user: {} }, { user: { policy_id: null } }, { more: 1 }]) {
    assert.equal(read(keeps), 'keep', JSON.stringify(keeps));
  }
  assert.equal(read({ user: { policy_id: 7 } }), 'choose');
  assert.equal(read({ success: false }), 'refuse');
  assert.equal(read({ success: false, user: { policy_id: 7 } }), 'refuse');
  const senseless = [
    ...[0, '', 'no', [], { success: 'false' }, { success: 0 }, { user: [] }],
    ...[{ user: { policy_id: 8 } }, { user: { policy_id: '7' } }, { user: { policy_id: [7] } }],
  ];
  for (const answer of senseless) assert.equal(read(answer), 'nothing', JSON.stringify(answer));
  assert.equal(readPolicyAnswer(parseAnswer('{"__proto__": {"success": false}}'), policies)?.says, 'keep');
  assert.equal(parseAnswer('{'), undefined);
});

it('a user-migration answer creates a user with a password on success, or refuses', () => {
  const read = (answer: unknown) => readMigrationAnswer(parseAnswer(JSON.stringify(answer)))?.says ?? 'nothing';
  const user = { email: 'ada@example.com', password: 'typed', custom_attributes: { team: 'red', floor: null } };
  assert.equal(read({ success: true, user }), 'migrate');
  for (const refuses of [null, { success: false }, { success: false, user }]) {
    assert.equal(read(refuses), 'refuse', JSON.stringify(refuses));
  }
  const senseless = [
    ...[{}, { user }, { success: 'true', user }, { success: true }, { success: true, user: [] }],
    ...[undefined, null, '', 1].map((password) => ({ success: true, user: { ...user, password } })),
    { success: true, user: { ...user, email: 1 } },
    { success: true, user: { ...user, custom_attributes: { floor: 3 } } },
  ];
  for (const answer of senseless) assert.equal(read(answer), 'nothing', JSON.stringify(answer));
});
