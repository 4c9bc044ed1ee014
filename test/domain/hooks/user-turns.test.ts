/** Runs for users: each user has one at a time, and an occasional user does not wait for frequent ones. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Failure } from '../../../src/domain/failure.ts';
import { firePreAuthentication } from '../../../src/domain/hooks/fire.ts';
import { createHook } from '../../../src/domain/hooks/hooks.ts';
import { inUserTurn } from '../../../src/domain/hooks/user-turns.ts';
import { ownPages } from '../../../src/domain/login/own-pages.ts';
import { createUser } from '../../../src/domain/users/write-user.ts';
import type { UserRecord } from '../../../src/store/users.ts';
import { unique } from '../../store/samples.ts';
import { gate, scriptedHooks } from '../../support/scripted-hooks.ts';
import { createTestAccount } from '../../support/services.ts';
import { databases } from '../../support/stores.ts';
import { onServices } from '../subject.ts';
import { handlerOf } from './stage.ts';

/** More than an account runs at a time. */
const flood = 60;
/** As many as an account runs at a time. */
const lanes = 4;

onServices(
  'runs of pre-authentication',
  (subject) => {
    /** Runs that continue until the test ends them; by name of the user, in the order in which they began. */
    async function scene({ hookWaitMilliseconds = 60_000, ...settings }: Record<string, string | number> = {}) {
      const hooks = scriptedHooks();
      const runs: { readonly name: string; readonly end: () => void }[] = [];
      let arrived = gate();
      hooks.answer = async ({ user }) => {
        const held = gate();
        runs.push({ name: Object(user).user_identifier, end: held.open });
        arrived.open();
        await held.opened;
        return null;
      };
      const services = { ...subject.services, hooks, hookWaitMilliseconds: Number(hookWaitMilliseconds) };
      const account = await createTestAccount(services, { settings: settings as Record<string, string> });
      await createHook(services, account, { type: 'pre-authentication', function: handlerOf('return null;') });
      const makeUser = async () =>
        createUser(services, account, {
          email: `${unique('user')}@example.com`,
          validatePolicy: true,
          authority: 'all',
        });
      const signIn = (user: UserRecord, source: string | null = '192.0.2.1') => {
        const username = user.email ?? '';
        const signingIn = { user, client: ownPages(account), username, source, browser: { userAgent: null } };
        return firePreAuthentication(services, account, signingIn);
      };
      /** Waits until this many runs have started. */
      const begun = async (count: number) => {
        while (runs.length < count) {
          arrived = gate();
          if (runs.length < count) await arrived.opened;
        }
      };
      return { services, account, runs, makeUser, signIn, begun };
    }

    test("60 simultaneous runs of one user run one after the other; another user's run starts at once", async () => {
      const { makeUser, signIn, begun, runs } = await scene();
      const [busy, other] = [await makeUser(), await makeUser()];
      const all = Array.from({ length: flood }, (_, index) => signIn(busy, `192.0.2.${index}`));
      await begun(1);
      all.push(signIn(other, '192.0.2.1'));
      await begun(2);
      assert.deepEqual(
        runs.map(({ name }) => name),
        [busy.email, other.email],
      );
      for (let at = 0; at <= flood; at += 1) {
        await begun(at + 1);
        assert.ok(runs.length <= at + 2, 'one per user at a time');
        runs[at]?.end();
      }
      await Promise.all(all);
    });

    test('when users of one network hold all lanes, the next run is from another network', async () => {
      const { services, account } = await scene();
      const begun: number[] = [];
      const ends: (() => void)[] = [];
      const run = (id: number, source: string | null) =>
        inUserTurn(services, account, { user: { id }, source }, async () => {
          begun.push(id);
          const held = gate();
          ends.push(held.open);
          await held.opened;
        });
      const crowd = Array.from({ length: 3 * lanes }, (_, index) => run(index, '192.0.2.1'));
      const other = run(100, '198.51.100.1');
      const again = run(100, '203.0.113.1');
      await setImmediate();
      assert.deepEqual(begun, [0, 1, 2, 3]);
      ends[0]?.();
      await setImmediate();
      assert.deepEqual(begun.slice(lanes), [100], 'once, though two runs wait in quiet networks');
      for (let at = 1; at < crowd.length + 2; at += 1) {
        ends[at]?.();
        await setImmediate();
      }
      await Promise.all([...crowd, other, again]);
    });

    for (const hook_failure of ['deny', 'continue']) {
      test(`keeping one's own hook busy does not bypass it (hook_failure=${hook_failure})`, async () => {
        const { makeUser, signIn, begun, runs } = await scene({ hookWaitMilliseconds: 1, hook_failure });
        const user = await makeUser();
        const first = signIn(user);
        await begun(1);
        await assert.rejects(signIn(user), (error) => error instanceof Failure && error.code === 'sign_in_refused');
        assert.equal(runs.length, 1);
        runs[0]?.end();
        assert.deepEqual(await first, { chosen: null, traits: null });
      });
    }

    for (const hook_failure of ['deny', 'continue']) {
      test(`a sign-in without a turn because of others follows hook_failure=${hook_failure}`, async () => {
        const { makeUser, signIn, begun, runs } = await scene({ hookWaitMilliseconds: 1, hook_failure });
        const others = (await Promise.all(Array.from({ length: lanes }, makeUser))).map((user) => signIn(user));
        await begun(lanes);
        const late = signIn(await makeUser());
        if (hook_failure === 'continue') assert.deepEqual(await late, { chosen: null, traits: null });
        else await assert.rejects(late, (error) => error instanceof Failure && error.code === 'sign_in_refused');
        for (const { end } of runs) end();
        await Promise.all(others);
      });
    }
  },
  databases,
);
