/**
 * What was right when it was checked opens nothing once it is not: a hook holds the sign-in up, and something changes.
 */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { removeApp } from '../../../src/domain/clients/managed-apps.ts';
import { changePassword } from '../../../src/domain/own-account/change-password.ts';
import { createPolicy } from '../../../src/domain/policies/policies.ts';
import type { UserRecord } from '../../../src/store/users.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import type { Answer } from '../../support/conforms.ts';
import { chosen, newInvite } from '../../support/invites.ts';
import { type GivenPasskey, givePasskey, passkeyOptionsOf, showPasskey } from '../../support/passkeys.ts';
import { assignPolicy } from '../../support/policies.ts';
import { newLink } from '../../support/resets.ts';
import { casesOn } from '../../support/sample.ts';
import { gate, scriptedHooks } from '../../support/scripted-hooks.ts';
import { giveDevice, keyOf } from '../../support/second-factor.ts';
import {
  authorizePath,
  CookieJar,
  clientAuthentication,
  makeUser,
  password,
  type RegisteredClient,
  registerClient,
  signInForCode,
  submit,
  walk,
} from '../../support/sign-in.ts';
import { databases } from '../../support/stores.ts';
import { setUser } from '../../support/users.ts';
import { ownVisit } from '../../support/visits.ts';
import { delegated } from '../../surfaces/api-v1/delegated.ts';
import { heading } from '../../surfaces/pages/browsing.ts';
import { makeHook } from '../hooks/doors.ts';

const another = 'nine green geese at noon';
const settings = {
  'limit.sign-in': 'off',
  'limit.reset': 'off',
  'limit.api-2': 'off',
  'limit.register': 'off',
  'limit.hooks': 'off',
  'grant.password': 'on',
};

interface Person {
  readonly client: RegisteredClient;
  readonly user: UserRecord;
}

for (const kind of databases) {
  describe(`changes during a sign-in, on ${kind}`, () => {
    const check = casesOn(kind, it);
    const hooks = scriptedHooks();
    let app: TestApp;
    before(async () => {
      app = await openTestApp(kind, { settings, services: { hooks } });
      await makeHook({ app, hooks, demanding: new Map() });
    });
    after(() => app.dispose());

    async function person(): Promise<Person> {
      const client = await registerClient(app);
      return { client, user: await makeUser(app, client.app_id) };
    }

    /** Does `change` while the hook runs in `attempt`; answers what the attempt came to. */
    async function heldUp<Result>(attempt: () => Promise<Result>, change: () => Promise<unknown>): Promise<Result> {
      const [reached, released] = [gate(), gate()];
      hooks.answer = async () => {
        reached.open();
        await released.opened;
        return null;
      };
      const before = hooks.seen.length;
      const result = attempt();
      try {
        await Promise.race([reached.opened, result]);
        assert.ok(hooks.seen.length > before, 'the hook does not run at this door');
        app.services.clock.advance(300);
        await change();
      } finally {
        hooks.answer = () => null;
        released.open();
      }
      return result;
    }

    /** What is open for the user. */
    async function open({ id }: Pick<UserRecord, 'id'>): Promise<{ sessions: number; grants: number }> {
      const { store, clock } = app.services;
      return {
        sessions: (await store.sessions.listOfUser(app.account.id, id, 100)).length,
        grants: (await store.grants.listLive(app.account.id, id, clock.now())).length,
      };
    }
    const nothing = { sessions: 0, grants: 0 };

    const hosted = async ({ client, user }: Person) => {
      const at = await walk(app, new CookieJar(), authorizePath(client));
      return async () => (await submit(app, at, { username: user.email ?? '', password })).answer;
    };
    const byPasskey = async ({ client }: Person, { passkey }: GivenPasskey) => {
      const at = await walk(app, new CookieJar(), authorizePath(client));
      const shown = passkey.get(passkeyOptionsOf(at.answer.text));
      return async () => (await showPasskey(app, at, shown)).answer;
    };
    const granted = async ({ client, user }: Person) => {
      const { headers, form } = clientAuthentication(client);
      const asked = { ...form, grant_type: 'password', username: user.email ?? '', password, scope: 'openid' };
      return () => app.send('POST', '/oauth2/token', { headers, form: asked });
    };
    const linked =
      (make: typeof newLink) =>
      async ({ user }: Person) => {
        const at = await walk(app, new CookieJar(), await make(app, user.email));
        return async () => (await submit(app, at, chosen)).answer;
      };
    const asked = async ({ user }: Person) => {
      const { ask, key } = await delegated(app);
      return () => ask({ api_key: key.key, email: user.email ?? '', password });
    };
    const doors: Readonly<Record<string, (person: Person) => Promise<() => Promise<Answer>>>> = {
      'the hosted sign-in': hosted,
      'the password grant': granted,
      'delegated authentication': asked,
      'a reset link': linked(newLink),
      'an invite link': linked(newInvite),
    };

    const newPassword: Readonly<Record<string, (person: Person) => Promise<unknown>>> = {
      'its owner': async ({ user }) => {
        const visit = await ownVisit(app, user);
        const given = { password: another, confirmation: another, endOthers: true, source: '192.0.2.1' };
        const known = visit.user.passwordDigest === user.passwordDigest ? password : chosen.new_password;
        const { outcome } = await changePassword(app.services, app.account, visit, { current: known, ...given });
        assert.equal(outcome, 'changed');
        // The owner's own session continues; the attempt did not open it.
        await app.services.store.sessions.end(app.account.id, user.id, visit.session.sid);
      },
      'an administrator': ({ user }) => setUser(app.services, app.account, user.id, { password: another }),
      'a link': async ({ user }) => {
        const at = await walk(app, new CookieJar(), await newInvite(app, user.email));
        hooks.answer = () => ({ success: false });
        const typed = { new_password: another, new_password_confirmation: another };
        assert.equal(heading((await submit(app, at, typed)).answer), 'Your password is saved');
      },
    };

    for (const [who, change] of Object.entries(newPassword)) {
      for (const [name, door] of Object.entries(doors)) {
        check(`the password is replaced by ${who}: ${name} opens nothing`, async () => {
          const someone = await person();
          const attempt = await door(someone);
          const { status, text } = await heldUp(attempt, () => change(someone));
          assert.deepEqual(await open(someone.user), nothing);
          assert.doesNotMatch(text, /access_token|<authenticated>true|Enter your code/);
          assert.notEqual(status, 500);
        });
      }

      check(`the password is replaced by ${who}: the former password does not lead to the second factor`, async () => {
        const someone = await person();
        await giveDevice(app, someone.user);
        const answer = await heldUp(await hosted(someone), () => change(someone));
        assert.deepEqual([answer.status, heading(answer)], [401, 'Sign in']);
      });
    }

    check('the user is suspended, locked or deleted: nothing opens', async () => {
      for (const door of Object.values(doors)) {
        for (const status of ['suspended', 'locked'] as const) {
          const someone = await person();
          const change = () => setUser(app.services, app.account, someone.user.id, { status });
          const { status: answered } = await heldUp(await door(someone), change);
          assert.deepEqual(await open(someone.user), nothing);
          assert.notEqual(answered, 500);
        }
        const gone = await person();
        const { status } = await heldUp(await door(gone), () =>
          app.services.store.users.remove(app.account.id, gone.user.id, 1_000),
        );
        assert.notEqual(status, 500);
        assert.deepEqual(await open(gone.user), nothing);
      }
    });

    check('the access to the app is withdrawn: nothing opens', async () => {
      for (const door of [hosted, granted]) {
        const someone = await person();
        const { client, user } = someone;
        const answer = await heldUp(await door(someone), () =>
          app.services.store.access.revoke(app.account.id, client.app_id, { userId: user.id }),
        );
        assert.ok([400, 403].includes(answer.status), String(answer.status));
        assert.deepEqual(await open(user), nothing);
      }
    });

    check('a second factor is set up: it is asked for, or nothing opens', async () => {
      for (const [name, door] of Object.entries(doors)) {
        const someone = await person();
        const answer = await heldUp(await door(someone), () => giveDevice(app, someone.user));
        assert.deepEqual(await open(someone.user), nothing, name);
        if (!/grant|delegated/.test(name)) assert.equal(heading(answer), 'Enter your code', name);
      }
    });

    check('the policy starts to demand one: it is asked for, or nothing opens', async () => {
      const { services, account } = app;
      const { id } = await createPolicy(services, account, { name: 'Demanding from now on', otpRequired: true });
      for (const [name, door] of Object.entries(doors)) {
        const { client, user } = await person();
        const follow = () => services.store.policies.assign(account.id, { userId: user.id }, id);
        await heldUp(await door({ client, user }), follow);
        assert.deepEqual(await open(user), nothing, name);
      }
    });

    check("the app's policy starts to demand one: it is asked for, or nothing opens", async () => {
      const { services, account } = app;
      const { id } = await createPolicy(services, account, { name: 'Demanding in one app', otpRequired: true });
      const answers: Record<string, string> = {};
      for (const [name, door] of Object.entries({ hosted, granted })) {
        const someone = await person();
        const demand = () => assignPolicy(services, account, { appId: someone.client.app_id }, id);
        const { status, text } = await heldUp(await door(someone), demand);
        answers[name] = `${status} ${keyOf(text) === '' ? 'no key' : 'a key to set up'}`;
        assert.deepEqual(await open(someone.user), nothing, name);
      }
      assert.deepEqual(answers, { hosted: '200 a key to set up', granted: '400 no key' });
    });

    check('the app is deleted: nothing opens', async () => {
      for (const door of [hosted, granted]) {
        const someone = await person();
        const { status } = await heldUp(await door(someone), () =>
          removeApp(app.services, app.account, someone.client.app_id),
        );
        assert.ok(status >= 400 && status < 500, String(status));
        assert.deepEqual(await open(someone.user), nothing);
      }
    });

    check('the passkey is removed: it opens nothing', async () => {
      const someone = await person();
      const given = await givePasskey(app, someone.user);
      const answer = await heldUp(await byPasskey(someone, given), () =>
        app.services.store.secondFactors.removeDevice(app.account.id, someone.user.id, given.id),
      );
      assert.equal(answer.status, 401);
      assert.deepEqual(await open(someone.user), nothing);
    });

    check('the trail records it like any refusal', async () => {
      const someone = await person();
      const change = () => setUser(app.services, app.account, someone.user.id, { password: another });
      await heldUp(await hosted(someone), change);
      const events = await app.services.store.events.listAfter(app.account.id, 0, 10_000);
      const told = events.filter(({ targetId }) => targetId === someone.user.id).at(-1);
      assert.equal(told?.action, 'sign_in.refused');
      const { reason, app_id: appId } = JSON.parse(told?.detail ?? '{}');
      assert.deepEqual([reason, appId], ['changed_meanwhile', someone.client.app_id]);
    });

    check('without a hook: what a race opened with the former password is revoked', async () => {
      let refused = 0;
      for (let round = 0; round < 10; round += 1) {
        const someone = await person();
        const attempts = await Promise.all([granted(someone), granted(someone), hosted(someone), hosted(someone)]);
        const change = setUser(app.services, app.account, someone.user.id, { password: another });
        const answers = await Promise.all([...attempts.map((attempt) => attempt()), change.then(() => null)]);
        refused += answers.filter((answer) => answer !== null && answer.status >= 400).length;
        assert.ok(answers.every((answer) => answer === null || answer.status < 500));
        const { sessions, grants } = await open(someone.user);
        assert.deepEqual({ sessions, grants }, nothing, `round ${round}`);
      }
      assert.ok(refused > 0, 'no attempt lost a race');
    });

    check('single sign-on: a session that ended while the hook ran gives no code', async () => {
      const own = await app.another({ ...settings, hook_on_sso: 'each_app' });
      const client = await registerClient(own);
      const user = await makeUser(own, client.app_id);
      const jar = new CookieJar();
      await signInForCode(own, client, user, {}, jar);
      const other = await registerClient(own);
      await own.services.store.access.grant(own.account.id, other.app_id, { userId: user.id }, 0);
      await makeHook({ app: own, hooks, demanding: new Map() });
      const { answer } = await heldUp(
        () => walk(own, jar, authorizePath(other)),
        () => own.services.store.sessions.endOfUser(own.account.id, user.id),
      );
      assert.equal(heading(answer), 'Sign in');
    });
  });
}
