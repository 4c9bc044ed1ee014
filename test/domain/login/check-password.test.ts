import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Account } from '../../../src/domain/accounts/account.ts';
import { Failure } from '../../../src/domain/failure.ts';
import { shareOf } from '../../../src/domain/fair-queue/share.ts';
import { checkPassword } from '../../../src/domain/login/check-password.ts';
import { networkSourceOf } from '../../../src/domain/network-source.ts';
import type { UserRecord } from '../../../src/store/users.ts';
import { failureOf } from '../../store/samples.ts';
import { faultyStore } from '../../support/faults.ts';
import { createTestAccount, type TestServices, testServices } from '../../support/services.ts';
import { addUser } from '../../support/users.ts';
import { onServices } from '../subject.ts';

const password = 'correct horse battery staple';
const source = '192.0.2.1';
/** More than close sign-in, and more than an address may fail. */
const attempts = 70;

interface Case {
  readonly services: TestServices;
  readonly account: Account;
  readonly user: UserRecord;
  signIn(given?: string): Promise<UserRecord | null>;
  /** Failures that the address is charged with. */
  charged(): Promise<number>;
}

onServices('a password is checked', (subject) => {
  /** With a store that throws `unavailable` at the verbs that are in `failing`. */
  async function open(failing: Set<string>): Promise<Case> {
    const store = faultyStore(subject.services.store, (verb) =>
      failing.has(verb) ? new Failure('unavailable') : null,
    );
    const services = await testServices(store);
    const account = await createTestAccount(services);
    const user = await addUser(services, account, { email: 'ada@example.com', password });
    return {
      services,
      account,
      user,
      signIn: (given = password) =>
        checkPassword(services, account, { username: 'ada@example.com', password: given, source }),
      charged: async () => {
        const state = await services.limits.state(account, 'sign-in', { source: networkSourceOf(source) });
        return state ? state.limit - state.remaining : Number.NaN;
      },
    };
  }

  async function attemptsOf({ services, account, user }: Case): Promise<number | undefined> {
    return (await services.store.users.find(account.id, user.id))?.invalidLoginAttempts;
  }

  for (const verb of ['users.findByName', 'users.countAttempt', 'users.clearAttempts']) {
    test(`while ${verb} fails nobody is locked and no failure is counted (D4)`, async () => {
      const failing = new Set([verb]);
      const one = await open(failing);
      for (let attempt = 0; attempt < attempts; attempt += 1) {
        assert.equal(await failureOf(one.signIn()), 'unavailable');
      }
      assert.equal(await one.charged(), 0);
      failing.clear();
      assert.equal((await one.signIn())?.id, one.user.id);
      assert.equal(await attemptsOf(one), 0);
    });
  }

  test('a right password still counts as right if recording it fails, and wrong ones are not forgotten', async () => {
    const failing = new Set<string>();
    const one = await open(failing);
    for (let attempt = 0; attempt < 9; attempt += 1) assert.equal(await one.signIn('wrong'), null);
    failing.add('users.clearAttempts');
    // The tenth in a row: it closed sign-in, although it was right.
    assert.equal(await failureOf(one.signIn()), 'unavailable');
    failing.clear();
    assert.equal(await one.signIn('wrong'), null);
    assert.equal(await attemptsOf(one), 1);
    assert.equal((await one.signIn())?.id, one.user.id);
    assert.equal(await attemptsOf(one), 0);
  });

  test('a sign-in that finds the queue full counts neither for the user nor for the address', async () => {
    const one = await open(new Set());
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const share = shareOf(one.account, source);
    // Two cores: one password is hashed, 64 wait.
    const kept = Array.from({ length: 65 }, () => one.services.passwords.withPlace(share, () => held));
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      assert.equal(await failureOf(one.signIn('wrong')), 'unavailable');
    }
    release();
    await Promise.all(kept);
    assert.deepEqual([await attemptsOf(one), await one.charged()], [0, 0]);
    assert.equal((await one.signIn())?.id, one.user.id);
  });
});
