/** Hooks at single sign-on, where the account wants them there: `hook_on_sso=each_app`. */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createPolicy } from '../../../src/domain/policies/policies.ts';
import type { UserRecord } from '../../../src/store/users.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { countRows } from '../../support/rows.ts';
import { sampledDatabases } from '../../support/sample.ts';
import { scriptedHooks } from '../../support/scripted-hooks.ts';
import {
  authorizePath,
  CookieJar,
  makeUser,
  password,
  type RegisteredClient,
  readForm,
  registerClient,
  signInForCode,
  submit,
  walk,
} from '../../support/sign-in.ts';
import { heading, isConsent } from '../../surfaces/pages/browsing.ts';
import { makeHook } from './doors.ts';

for (const kind of sampledDatabases) {
  describe(`hooks at single sign-on on ${kind}`, () => {
    const hooks = scriptedHooks();
    let app: TestApp;
    before(async () => {
      const settings = { 'limit.sign-in': 'off', 'limit.register': 'off', hook_on_sso: 'each_app' };
      app = await openTestApp(kind, { settings, services: { hooks } });
      await makeHook({ app, hooks, demanding: new Map() });
    });
    after(() => app.dispose());

    async function newApp(user: UserRecord): Promise<RegisteredClient> {
      const client = await registerClient(app);
      await app.services.store.access.grant(app.account.id, client.app_id, { userId: user.id }, 0);
      return client;
    }

    /** A signed-in browser, with the app that it signed in to and another one. */
    async function signedIn() {
      hooks.answer = () => null;
      const user = await makeUser(app);
      const [first, other] = [await newApp(user), await newApp(user)];
      const jar = new CookieJar();
      await signInForCode(app, first, user, {}, jar);
      return { user, first, other, jar };
    }

    /** How often the hook ran in `work`. */
    async function runs(work: () => Promise<unknown>): Promise<number> {
      const before = hooks.seen.length;
      await work();
      return hooks.seen.length - before;
    }

    it('runs once for each app of a session, with the context of a sign-in, but not for the app signed in to', async () => {
      const { user, first, other, jar } = await signedIn();
      assert.equal(await runs(() => signInForCode(app, first, user, {}, jar)), 0, 'it ran when the user signed in');
      assert.equal(await runs(() => signInForCode(app, other, user, {}, jar)), 1);
      const { user: seen, device } = Object(hooks.seen.at(-1));
      assert.equal(seen.user_identifier, user.email);
      assert.equal(typeof device.is_mobile, 'boolean');
      assert.equal(await runs(() => signInForCode(app, other, user, {}, jar)), 0);
      assert.equal(await runs(() => signInForCode(app, other, user, { prompt: 'consent' }, jar)), 0);
      assert.equal(await runs(() => walk(app, jar, '/account')), 0, 'the account pages are not an app');
      const again = new CookieJar();
      assert.equal(await runs(() => signInForCode(app, first, user, {}, again)), 1, 'a sign-in');
      assert.equal(await runs(() => signInForCode(app, other, user, {}, again)), 1, 'another session');
    });

    it('refusals of one session are limited; beyond that nothing runs or is recorded', async (t) => {
      const refusing = scriptedHooks();
      const settings = { 'limit.register': 'off', 'limit.authorize': '4/h', hook_on_sso: 'each_app' };
      const limited = await openTestApp(kind, { settings, services: { hooks: refusing } });
      t.after(() => limited.dispose());
      await makeHook({ app: limited, hooks: refusing, demanding: new Map() });
      refusing.answer = () => null;
      const [first, other] = [await registerClient(limited), await registerClient(limited)];
      const user = await makeUser(limited, first.app_id);
      await limited.services.store.access.grant(limited.account.id, other.app_id, { userId: user.id }, 0);
      const jar = new CookieJar();
      await signInForCode(limited, first, user, {}, jar);
      refusing.answer = () => ({ success: false });
      const statuses: number[] = [];
      while (statuses.length < 4) {
        const { answer } = await walk(limited, jar, authorizePath(other, { prompt: 'none' }));
        statuses.push(answer.status);
      }
      assert.deepEqual(statuses, [303, 303, 429, 429]);
      const refused = `account_id = ${limited.account.id} and action = 'hook.sign_in_refused'`;
      assert.equal(await countRows(limited.url, `select 1 as one from events where ${refused}`), 2);
    });

    it('after a session expired unused, it runs for each app again', async () => {
      const { user, first, other, jar } = await signedIn();
      await signInForCode(app, other, user, {}, jar);
      app.services.clock.advance(3 * 3_600_000);
      assert.equal(await runs(() => signInForCode(app, first, user, {}, jar)), 1, 'a sign-in');
      assert.equal(
        await runs(() => signInForCode(app, other, user, {}, jar)),
        1,
        'was used for it in the expired session',
      );
      assert.equal(await runs(() => signInForCode(app, other, user, { prompt: 'login' }, jar)), 1, 'a sign-in');
      assert.equal(await runs(() => signInForCode(app, first, user, {}, jar)), 0, 'a live session continues');
    });

    it('one request runs it once, however often its pages are loaded', async () => {
      const { user, other, jar } = await signedIn();
      const at = await walk(app, jar, authorizePath(other));
      assert.ok(isConsent(at.answer));
      const request = /name="request" value="([^"]*)"/.exec(at.answer.text)?.[1] ?? '';
      const looks = async () => {
        for (const path of ['consent', 'continue', 'consent']) {
          assert.ok(isConsent((await walk(app, jar, `/${path}?request=${request}`)).answer));
        }
      };
      assert.equal(await runs(looks), 0);
      assert.equal(await runs(() => signInForCode(app, other, user, {}, jar)), 1, 'the first request opened nothing');
    });

    it('a refusal shows the usual page, or gives access_denied for prompt=none; the hook is asked each time', async () => {
      const { other, jar } = await signedIn();
      hooks.answer = () => ({ success: false });
      const open = (parameters: Record<string, string> = {}) => walk(app, jar, authorizePath(other, parameters));
      assert.equal(
        await runs(async () => {
          const { answer } = await open();
          assert.deepEqual([answer.status, heading(answer)], [403, 'You cannot sign in']);
          const silent = await open({ prompt: 'none' });
          const { searchParams } = new URL(String(silent.answer.headers['location']));
          assert.deepEqual([searchParams.get('error'), searchParams.get('code')], ['access_denied', null]);
        }),
        2,
      );
      hooks.answer = () => null;
      assert.ok(isConsent((await open()).answer), 'the session itself stays valid');
    });

    it('leaving the page and returning does not bypass a second factor that it demands', async () => {
      const { services, account } = app;
      const { other, jar } = await signedIn();
      const policy = await createPolicy(services, account, { name: `Demanding ${other.app_id}`, otpRequired: true });
      hooks.answer = () => ({ user: { policy_id: policy.id } });
      for (let tries = 0; tries < 3; tries += 1) {
        assert.equal(heading((await walk(app, jar, authorizePath(other))).answer), 'Set up a second factor');
      }
    });

    /** A request for the app in which `user` is signed in, on its consent page. */
    async function beginAs(user: UserRecord, client: RegisteredClient, parameters: Record<string, string> = {}) {
      const form = await walk(app, new CookieJar(), authorizePath(client, parameters));
      const at = await submit(app, form, { username: user.email ?? '', password });
      assert.ok(isConsent(at.answer));
      return { jar: at.jar, request: readForm(at.answer.text).fields['request'] ?? '' };
    }

    /** Goes on with a request in the browser that began it, with the session of another. */
    async function swapped({ jar, request }: Awaited<ReturnType<typeof beginAs>>, session: CookieJar) {
      const mixed = new CookieJar();
      for (const [name, value] of jar.cookies) mixed.cookies.set(name, value);
      mixed.cookies.set('__Host-sid', session.cookies.get('__Host-sid') ?? '');
      return walk(app, mixed, `/continue?request=${request}`);
    }

    it('a request that another user signed in for runs it for the user of the session', async () => {
      const guest = await makeUser(app);
      const { user, first, other, jar } = await signedIn();
      await app.services.store.access.grant(app.account.id, other.app_id, { userId: guest.id }, 0);
      const begun = await beginAs(guest, other);
      // The session of the user is the newer one.
      app.services.clock.advance(1000);
      const fresh = new CookieJar();
      await signInForCode(app, first, user, {}, fresh);
      hooks.answer = () => ({ success: false });
      for (const session of [jar, fresh]) {
        const { answer } = await swapped(begun, session);
        assert.deepEqual([answer.status, heading(answer)], [403, 'You cannot sign in']);
        assert.equal(Object(hooks.seen.at(-1)).user.user_identifier, user.email);
      }
    });

    it('a sign-in that a request demands is not satisfied by another session, even of the same user', async () => {
      const guest = await makeUser(app);
      const { user, first, other } = await signedIn();
      await app.services.store.access.grant(app.account.id, other.app_id, { userId: guest.id }, 0);
      for (const demand of [{ prompt: 'login' }, { prompt: 'select_account' }, { max_age: '0' }]) {
        for (const signsIn of [guest, user]) {
          const begun = await beginAs(signsIn, other, demand);
          app.services.clock.advance(1000);
          const session = new CookieJar();
          await signInForCode(app, first, user, {}, session);
          app.services.clock.advance(1000);
          assert.equal(heading((await swapped(begun, session)).answer), 'Sign in', JSON.stringify(demand));
          assert.ok(isConsent((await swapped(begun, begun.jar)).answer), 'the session that was started for it');
        }
      }
    });

    it('simultaneous requests cannot bypass it', async () => {
      const { other, jar } = await signedIn();
      hooks.answer = () => ({ success: false });
      const open = () => walk(app, jar, authorizePath(other, { prompt: 'none' }));
      // Requests of one browser: the first made its secret.
      const all = await Promise.all(Array.from({ length: 8 }, open));
      for (const { answer } of all) assert.match(String(answer.headers['location']), /error=access_denied/);
    });
  });
}
