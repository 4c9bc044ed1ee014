/** What answers of functions mean, without running any. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  type InvalidAnswer,
  isInvalid,
  type PolicyAnswer,
  parseAnswer,
  readPolicyAnswer,
} from '../../../src/domain/hooks/answers.ts';
import { judge } from '../../../src/domain/hooks/judge.ts';
import { type MigrationAnswer, readMigrationAnswer } from '../../../src/domain/hooks/migration-answer.ts';

const policies = new Set([7]);

it('a pre-authentication answer keeps the policy, chooses one of the account, or refuses; others are ignored', () => {
  const read = (answer: unknown) => readPolicyAnswer(parseAnswer(JSON.stringify(answer)), policies).says;
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
  for (const answer of senseless) assert.equal(read(answer), 'invalid', JSON.stringify(answer));
  assert.equal(readPolicyAnswer(parseAnswer('{"__proto__": {"success": false}}'), policies).says, 'keep');
  assert.equal(parseAnswer('{'), undefined);
});

it('a user-migration answer creates a user with a password on success, or refuses', () => {
  const read = (answer: unknown) => readMigrationAnswer(parseAnswer(JSON.stringify(answer))).says;
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
  for (const answer of senseless) assert.equal(read(answer), 'invalid', JSON.stringify(answer));
});

it('says what is wrong with an answer that means nothing, and no value that may be a secret', () => {
  const faultOf = (read: PolicyAnswer | MigrationAnswer | InvalidAnswer) => (isInvalid(read) ? read.fault : read.says);
  for (const [answer, fault] of [
    ['yes', 'the answer is a string'],
    [[1], 'the answer is a list'],
    [{ success: 'no' }, 'success is a string'],
    [{ user: true }, 'user is a boolean'],
    [{ user: { policy_id: {} } }, 'policy_id is an object'],
    [{ user: { policy_id: 99 } }, 'policy_id 99: the account has no such policy'],
  ] as const) {
    assert.equal(faultOf(readPolicyAnswer(answer, policies)), fault);
  }
  const migrated = { email: 'ada@example.com', password: 'typed' };
  for (const [answer, fault] of [
    [4, 'the answer is a number'],
    [{ user: migrated }, 'success is missing'],
    [{ success: true, user: null }, 'user is null'],
    [{ success: true, user: { ...migrated, phone: 12 } }, 'phone is a number'],
    [{ success: true, user: { email: 'x' } }, 'password is missing'],
    [{ success: true, user: { ...migrated, password: '' } }, 'password is empty'],
    [
      { success: true, user: { ...migrated, custom_attributes: { a: 1 } } },
      'custom_attributes is not an object of texts',
    ],
  ] as const) {
    assert.equal(faultOf(readMigrationAnswer(answer)), fault);
  }
  assert.equal(judge('pre-authentication', undefined, policies).invalid?.fault, 'the answer cannot be read as JSON');
});
