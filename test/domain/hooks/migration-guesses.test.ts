/** Guesses at a password that user-migration would know are counted by name, as those at a user's are. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHook } from '../../../src/domain/hooks/hooks.ts';
import { migrateUser } from '../../../src/domain/hooks/migrate-user.ts';
import { type TriedPassword, tryPassword } from '../../../src/domain/login/check-password.ts';
import { createPolicy } from '../../../src/domain/policies/policies.ts';
import { createLimits } from '../../../src/http/rate-limit.ts';
import { gate, scriptedHooks } from '../../support/scripted-hooks.ts';
import { createTestAccount } from '../../support/services.ts';
import { databases } from '../../support/stores.ts';
import { onServices } from '../subject.ts';
import { handlerOf } from './stage.ts';

/** Why an attempt was refused. */
async function closing(attempt: () => Promise<TriedPassword>): Promise<readonly string[]> {
  const tried = await attempt();
  return tried.user === null ? [tried.reason] : [];
}

const right = 'the old password';
const most = 3;
const minute = 60_000;

onServices(
  'guesses at names that user-migration knows',
  (subject) => {
    async function scene({ lockEffectiveMinutes = 20, hookWaitMilliseconds = 60_000 } = {}) {
      let time = 0;
      const hooks = scriptedHooks();
      const asked: unknown[] = [];
      hooks.migrate = ({ user_identifier: email, password }) => {
        asked.push(email);
        return password === right ? { success: true, user: { email, password } } : null;
      };
      const limits = createLimits({ elapsed: () => time });
      const services = { ...subject.services, hooks, limits, hookWaitMilliseconds };
      const account = await createTestAccount(services, { settings: { 'limit.sign-in': 'off' } });
      const rules = { maximumInvalidLoginAttempts: most, lockEffectiveMinutes };
      await createPolicy(services, account, { name: 'few guesses', isDefault: true, ...rules });
      await createHook(services, account, { type: 'user-migration', function: handlerOf('return null;') });
      let number = 0;
      /** From another address each time unless said. */
      const attempt = async (username: string, password: string, from?: string) => {
        number += 1;
        const typed = { username, password, source: from ?? `192.0.2.${number}` };
        return tryPassword(services, account, typed, () => migrateUser(services, account, typed));
      };
      const wait = (minutes: number) => {
        time += minutes * minute;
      };
      return { services, account, hooks, asked, attempt, wait };
    }

    test('the hook is asked as often as the policy allows, from any address, however the name is written', async () => {
      const { attempt, asked } = await scene();
      const spellings = ['ada@old.example', 'ADA@old.example', 'Ada@OLD.example'];
      for (const name of spellings) assert.equal((await attempt(name, 'wrong')).user, null);
      const refused = await attempt('ada@old.example', right);
      assert.deepEqual(refused, await attempt('ada@old.example', 'wrong'), 'the right one is refused like a wrong one');
      assert.equal(asked.length, most);
      assert.equal((await attempt('bob@old.example', right)).user?.email, 'bob@old.example');
    });

    test('the same limit holds for simultaneous guesses', async () => {
      const { attempt, asked } = await scene();
      await Promise.all(Array.from({ length: 20 }, () => attempt('ada@old.example', 'wrong')));
      assert.equal(asked.length, most);
    });

    for (const [lockEffectiveMinutes, over] of [
      [1, 1],
      [20, 30],
      [60, 60],
      [1440, 1440],
    ] as const) {
      test(`closed for ${lockEffectiveMinutes} minutes by the policy: ${over} after the first they are asked about again`, async () => {
        const { attempt, asked, wait } = await scene({ lockEffectiveMinutes });
        for (let guess = 0; guess < most; guess += 1) await attempt('ada@old.example', 'wrong');
        wait(over - 1 / 60);
        assert.equal((await attempt('ada@old.example', right)).user, null);
        wait(1 / 60);
        assert.equal((await attempt('ada@old.example', right)).user?.email, 'ada@old.example');
        assert.equal(asked.length, most + 1);
      });
    }

    test('a right one resets the count', async () => {
      const { attempt, asked, services, account } = await scene();
      for (let round = 0; round < most + 1; round += 1) {
        const { user } = await attempt('ada@old.example', right);
        assert.ok(user, String(round));
        await services.store.users.remove(account.id, user.id, services.clock.now());
      }
      assert.equal(asked.length, most + 1);
    });

    test('a guess that gets no turn is not counted', async () => {
      const { attempt, hooks } = await scene({ hookWaitMilliseconds: 1 });
      const [begun, busy] = [gate(), gate()];
      let turns = 0;
      hooks.migrate = async () => {
        turns += 1;
        if (turns === 2) begun.open();
        await busy.opened;
        return null;
      };
      const others = ['one@old.example', 'two@old.example'].map((name) => attempt(name, 'wrong'));
      await begun.opened;
      for (let guess = 0; guess < 2 * most; guess += 1) await attempt('ada@old.example', right);
      busy.open();
      await Promise.all(others);
      hooks.migrate = ({ user_identifier: email, password }) => ({ success: true, user: { email, password } });
      assert.equal((await attempt('ada@old.example', right)).user?.email, 'ada@old.example');
    });

    test('a guess that waits while the user is created counts for that user', async () => {
      const { attempt, hooks } = await scene();
      const [begun, made] = [gate(), gate()];
      hooks.migrate = async ({ user_identifier: email, password }) => {
        begun.open();
        await made.opened;
        return password === right ? { success: true, user: { email, password } } : null;
      };
      // One source has one turn: the others wait.
      const source = '198.51.100.1';
      const first = attempt('ada@old.example', right, source);
      await begun.opened;
      const guesses = Array.from({ length: most - 1 }, () => attempt('ada@old.example', 'wrong', source));
      made.open();
      const { user } = await first;
      for (const tried of await Promise.all(guesses)) assert.equal(tried.user, null);
      assert.ok(user);
      assert.deepEqual(await closing(() => attempt('ada@old.example', 'wrong')), ['wrong_password']);
      assert.deepEqual(await closing(() => attempt('ada@old.example', right)), ['closed']);
    });
  },
  databases,
);
