import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signInOf } from '../../src/domain/audit/sign-ins.ts';

const rows: readonly (readonly [action: string, detail: object, told: string | null])[] = [
  ['sign_in.succeeded', { app_id: 1, methods: ['pwd'] }, 'succeeded password'],
  ['sign_in.succeeded', { method: 'delegated', methods: ['pwd'] }, 'succeeded password'],
  ['sign_in.succeeded', { app_id: 1, methods: ['pwd', 'otp', 'mfa'] }, 'succeeded password_second_factor'],
  ['sign_in.succeeded', { app_id: 1, methods: ['pwd', 'hwk', 'user', 'mfa'] }, 'succeeded password_second_factor'],
  ['sign_in.succeeded', { app_id: 1, methods: ['swk', 'user', 'mfa'] }, 'succeeded passkey'],
  ['sign_in.succeeded', { method: 'reset', methods: ['urn:gatehouse:amr:mailbox'] }, 'succeeded link'],
  [
    'sign_in.succeeded',
    { method: 'invite', methods: ['urn:gatehouse:amr:mailbox', 'otp', 'mfa'] },
    'succeeded link_second_factor',
  ],
  ['grant.issued', { method: 'password' }, 'succeeded password'],
  ['grant.issued', { method: 'authorization_code' }, null],
  ['sign_in.failed', { reason: 'unknown_user' }, 'unknown_user password'],
  ['sign_in.failed', { reason: 'wrong_password' }, 'wrong_password password'],
  ['sign_in.failed', { reason: 'closed' }, 'closed password'],
  ['sign_in.failed', { reason: 'wrong_passkey' }, 'wrong_passkey passkey'],
  ['sign_in.refused', { reason: 'user_suspended', methods: ['pwd'] }, 'refused password'],
  ['sign_in.refused', { reason: 'user_locked', methods: ['urn:gatehouse:amr:mailbox'] }, 'refused link'],
  ['mfa.failed', { reason: 'wrong_code' }, 'wrong_second_factor unknown'],
  ['hook.sign_in_refused', { hook_id: 'x', user_id: 1 }, 'hook_refused unknown'],
  ['hook.failed', { reason: 'timeout', user_id: 1, sign_in: 'denied' }, 'hook_failed unknown'],
  ['hook.failed', { reason: 'timeout', user_id: 1, sign_in: 'continued' }, null],
  ['hook.failed', { reason: 'timeout', user_id: null, sign_in: 'denied' }, null],
  ['sign_in.closed', { attempts: 5 }, null],
  ['user.changed', { fields: ['constructor'] }, null],
];

for (const [action, detail, told] of rows) {
  test(`${action} ${JSON.stringify(detail)} is ${told ?? 'no sign-in'}`, () => {
    const signIn = signInOf({ action, detail: JSON.stringify(detail) });
    assert.equal(signIn && `${signIn.outcome} ${signIn.method}`, told);
  });
}
