/** A session that changes while it ends, and one over which somebody signs in. */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { decodeJwt } from 'jose';
import { raiseSession } from '../../../src/domain/opening/openers/session.ts';
import { endOneSession } from '../../../src/domain/own-account/sessions.ts';
import { createPolicy } from '../../../src/domain/policies/policies.ts';
import type { SessionRecord } from '../../../src/store/sessions.ts';
import type { Store } from '../../../src/store/store.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { chosen, newInvite } from '../../support/invites.ts';
import { purgeTable } from '../../support/purge.ts';
import { readTable } from '../../support/rows.ts';
import { casesOn } from '../../support/sample.ts';
import { CookieJar, makeUser, redeem, refresh, signInForCode, submit, walk } from '../../support/sign-in.ts';
import { beginSignOut, type SignedInBrowser, signedInBrowser } from '../../support/sign-out.ts';
import { databases } from '../../support/stores.ts';
import { setUser } from '../../support/users.ts';
import { ownVisit } from '../../support/visits.ts';
import { copyOf } from '../../surfaces/pages/browsing.ts';
import { assertTold, toldBy } from '../audit/told.ts';

for (const kind of databases) {
  describe(`the end of a session on ${kind}`, () => {
    const check = casesOn(kind, it);
    let app: TestApp;
    before(async () => {
      app = await openTestApp(kind, { settings: { 'limit.register': 'off', 'limit.sign-in': 'off' } });
    });
    after(() => app.dispose());

    const sidsOf = async (browser: SignedInBrowser) => (await sessionsOf(browser)).map(({ sid }) => sid);
    const sessionsOf = ({ user }: Pick<SignedInBrowser, 'user'>) =>
      app.services.store.sessions.listOfUser(app.account.id, user.id, 10);

    async function onlySessionOf(browser: Pick<SignedInBrowser, 'user'>): Promise<SessionRecord> {
      const [session, ...more] = await sessionsOf(browser);
      assert.ok(session && more.length === 0);
      return session;
    }

    const raise = (session: SessionRecord) =>
      app.services.store.transaction((tx) => raiseSession(app.services, tx, app.account, session, ['pwd', 'otp']));

    /** Whether a refresh token works. */
    const isGood = async ({ client }: Pick<SignedInBrowser, 'client'>, token: string) =>
      (await refresh(app, client, token)).status === 200;

    /** Ids of the sessions whose end clients must be notified of. */
    async function toldOf({ client }: Pick<SignedInBrowser, 'client'>): Promise<unknown[]> {
      const rows = (await readTable(app.url, 'logout_notices')).map(Object);
      return rows.filter(({ app_id: appId }) => Number(appId) === client.app_id).map(({ sid }) => sid);
    }

    const heard = { backchannel_logout_uri: 'https://rp.example.com/ended' };

    /** Tokens of the session that this browser has, for a request with these parameters. */
    async function tokensOf({ client, jar }: SignedInBrowser, user: SignedInBrowser['user'], parameters: object) {
      const query = await signInForCode(app, client, user, { ...parameters }, jar);
      return redeem(app, client, query.get('code') ?? '');
    }

    async function signOut(jar: CookieJar): Promise<void> {
      const { answer } = await submit(app, await beginSignOut(app, jar), {});
      assert.match(answer.text, /You are signed out/);
    }

    check('ends one that was raised after it was read', async () => {
      const browser = await signedInBrowser(app, heard);
      const session = await onlySessionOf(browser);
      const { store } = app.services;
      const late: Store = {
        ...store,
        transaction: async (work) => {
          await raise(session);
          return store.transaction(work);
        },
      };
      const visit = await ownVisit(app, browser.user);
      await endOneSession({ ...app.services, store: late }, app.account, visit, session.id);
      assert.deepEqual(await sidsOf(browser), [visit.session.sid]);
      assert.equal(await isGood(browser, browser.tokens.refresh_token), false);
      assert.deepEqual(await toldOf(browser), [session.sid]);
    });

    check('ends one that was raised after the list was shown', async () => {
      const browser = await signedInBrowser(app);
      const session = await onlySessionOf(browser);
      await raise(session);
      const visit = await ownVisit(app, browser.user);
      await endOneSession(app.services, app.account, visit, session.id);
      assert.deepEqual(await sidsOf(browser), [visit.session.sid]);
    });

    check('a sign-out with its secret of before it was raised ends it, and shows nothing of its user', async () => {
      const browser = await signedInBrowser(app, heard);
      const session = await onlySessionOf(browser);
      const asked = await beginSignOut(app, browser.jar);
      await raise(session);
      assert.doesNotMatch(
        (await beginSignOut(app, copyOf(browser.jar))).answer.text,
        new RegExp(String(browser.user.email)),
      );
      assert.deepEqual(await sidsOf(browser), [session.sid]);
      assert.match((await submit(app, asked, {})).answer.text, /You are signed out/);
      assert.deepEqual(await sessionsOf(browser), []);
      assert.deepEqual(await toldOf(browser), [session.sid]);
      assert.equal(await isGood(browser, browser.tokens.refresh_token), false);
    });

    check('another user signs in over it: it ends as by a sign-out', async () => {
      const browser = await signedInBrowser(app, heard);
      const offline = await tokensOf(browser, browser.user, { scope: 'openid offline_access' });
      const session = await onlySessionOf(browser);
      const other = await makeUser(app, browser.client.app_id);
      const told = await toldBy(app, () => tokensOf(browser, other, { prompt: 'login' }));
      assert.deepEqual(await sessionsOf(browser), []);
      assert.notEqual((await onlySessionOf({ user: other })).sid, session.sid);
      assert.deepEqual(await toldOf(browser), [session.sid]);
      assert.equal(await isGood(browser, browser.tokens.refresh_token), false);
      assert.equal(await isGood(browser, offline.refresh_token), true);
      const ended = told.find(({ action }) => action === 'session.ended');
      assert.deepEqual(
        [ended?.actorId, ended?.targetId, ended?.detail],
        [other.id, browser.user.id, `{"session_id":${session.id},"grants_revoked":1,"clients_told":1}`],
      );
    });

    check('another user signs in over it with its old secret from before it was raised: it ends too', async () => {
      const browser = await signedInBrowser(app, heard);
      const session = await onlySessionOf(browser);
      await raise(session);
      await tokensOf(browser, await makeUser(app, browser.client.app_id), { prompt: 'login' });
      assert.deepEqual(await sessionsOf(browser), []);
      assert.deepEqual(await toldOf(browser), [session.sid]);
      assert.equal(await isGood(browser, browser.tokens.refresh_token), false);
    });

    check('a copy of a cookie of before its user signed in again there ends nothing', async () => {
      const browser = await signedInBrowser(app, heard);
      const copies = [copyOf(browser.jar), copyOf(browser.jar)] as const;
      const asked = await beginSignOut(app, copies[0]);
      app.services.clock.advance(1000);
      await tokensOf(browser, browser.user, { prompt: 'login' });
      const [sid] = await sidsOf(browser);
      await submit(app, asked, {});
      await tokensOf({ ...browser, jar: copies[1] }, await makeUser(app, browser.client.app_id), { prompt: 'login' });
      assert.deepEqual(await sidsOf(browser), [sid]);
      assert.deepEqual(await toldOf(browser), []);
    });

    check('another user follows a link there: it ends too', async () => {
      const browser = await signedInBrowser(app, heard);
      const { sid } = await onlySessionOf(browser);
      const other = await makeUser(app);
      await submit(app, await walk(app, browser.jar, await newInvite(app, other.email)), chosen);
      await onlySessionOf({ user: other });
      assert.deepEqual(await sessionsOf(browser), []);
      assert.deepEqual(await toldOf(browser), [sid]);
      assert.equal(await isGood(browser, browser.tokens.refresh_token), false);
    });

    check('the same user signs in over it: it continues under a new secret, and a sign-out ends it all', async () => {
      const browser = await signedInBrowser(app, heard);
      const former = await onlySessionOf(browser);
      const formerSecret = browser.jar.cookies.get('__Host-sid');
      app.services.clock.advance(60_000);
      const later = await tokensOf(browser, browser.user, { prompt: 'login' });
      const session = await onlySessionOf(browser);
      assert.deepEqual([session.id, session.sid], [former.id, former.sid]);
      assert.notEqual(session.digest, former.digest);
      assert.notEqual(browser.jar.cookies.get('__Host-sid'), formerSecret);
      assert.ok(session.authenticatedAt >= former.authenticatedAt + 60_000);
      assert.equal(session.expiresAt - session.authenticatedAt, former.expiresAt - former.authenticatedAt);
      assert.deepEqual(await toldOf(browser), []);
      const first = await refresh(app, browser.client, browser.tokens.refresh_token);
      assert.equal(first.status, 200);
      await assertTold(app, () => signOut(browser.jar), [
        [
          'sign_out.succeeded',
          `user ${browser.user.id}`,
          `user ${browser.user.id}`,
          { app_id: null, grants_revoked: 2, clients_told: 1 },
        ],
      ]);
      assert.deepEqual(await sessionsOf(browser), []);
      assert.deepEqual(await toldOf(browser), [session.sid]);
      assert.equal(await isGood(browser, first.body.refresh_token), false);
      assert.equal(await isGood(browser, later.refresh_token), false);
    });

    const hour = 3_600_000;

    /** A session that has expired: unused for too long, or so old that its row is deleted. */
    async function expired(how: 'unused' | 'deleted') {
      const browser = await signedInBrowser(app, heard);
      const session = await onlySessionOf(browser);
      app.services.clock.advance(how === 'unused' ? hour : 13 * hour);
      if (how === 'deleted') {
        await purgeTable(app.services.store, 'sessions', app.services.clock.now());
        assert.deepEqual(await sessionsOf(browser), []);
      }
      const rotated = await refresh(app, browser.client, browser.tokens.refresh_token);
      assert.equal(rotated.status, 200, 'grants outlive the expiry of their session');
      return { browser, session, token: String(rotated.body.refresh_token) };
    }

    for (const how of ['unused', 'deleted'] as const) {
      check(`the same user signs in over one that has expired (${how}): a sign-out ends its grants too`, async () => {
        const { browser, session, token } = await expired(how);
        const later = await tokensOf(browser, browser.user, {});
        assert.equal((await onlySessionOf(browser)).sid, session.sid);
        await signOut(browser.jar);
        assert.deepEqual(await toldOf(browser), [session.sid]);
        assert.equal(await isGood(browser, token), false);
        assert.equal(await isGood(browser, later.refresh_token), false);
      });

      check(`another user signs in over one that has expired (${how}): its grants end`, async () => {
        const { browser, session, token } = await expired(how);
        const other = await makeUser(app, browser.client.app_id);
        const told = await toldBy(app, () => tokensOf(browser, other, {}));
        assert.notEqual((await onlySessionOf({ user: other })).sid, session.sid);
        assert.deepEqual(await toldOf(browser), [session.sid]);
        assert.equal(await isGood(browser, token), false);
        assert.ok(told.some(({ action, targetId }) => action === 'session.ended' && targetId === browser.user.id));
      });

      check(`a client signs its user out of one that has expired (${how}): its grants end`, async () => {
        const { browser, session, token } = await expired(how);
        const { answer } = await beginSignOut(app, browser.jar, { id_token_hint: browser.tokens.id_token });
        assert.match(answer.text, /You are signed out/);
        assert.deepEqual(await toldOf(browser), [session.sid]);
        assert.equal(await isGood(browser, token), false);
      });

      check(`a hint of another user, or none, ends nothing of one that has expired (${how})`, async () => {
        const other = await signedInBrowser(app);
        const { browser, token } = await expired(how);
        for (const hint of [{ id_token_hint: other.tokens.id_token }, {}]) {
          const { answer } = await beginSignOut(app, copyOf(browser.jar), hint);
          assert.match(answer.text, /You are signed out/);
        }
        assert.deepEqual(await toldOf(browser), []);
        assert.equal(await isGood(browser, token), true);
      });
    }

    check('one that expires while its user is asked about the sign-out still ends by the form', async () => {
      const policy = await createPolicy(app.services, app.account, { name: 'Short', sessionTimeoutMinutes: 1 });
      const user = await makeUser(app, undefined, { policyId: policy.id });
      const browser = { ...(await signedInBrowser(app, heard)), user, jar: new CookieJar() };
      await app.services.store.access.grant(app.account.id, browser.client.app_id, { userId: user.id }, 0);
      const { refresh_token: token } = await tokensOf(browser, user, {});
      const asked = await beginSignOut(app, browser.jar);
      app.services.clock.advance(5 * 60_000);
      await submit(app, asked, {});
      assert.equal(await isGood(browser, token), false);
    });

    check('one that was ended cannot be resumed with its cookie, then or later', async () => {
      const browser = await signedInBrowser(app);
      const { id, sid } = await onlySessionOf(browser);
      await endOneSession(app.services, app.account, await ownVisit(app, browser.user), id);
      for (const wait of [0, 13 * hour]) {
        app.services.clock.advance(wait);
        const copy = { ...browser, jar: copyOf(browser.jar) };
        await tokensOf(copy, browser.user, {});
        assert.ok(!(await sidsOf(browser)).includes(sid));
      }
    });

    check('one that a suspension ended cannot be resumed, and its grants do not end with another session', async () => {
      const browser = await signedInBrowser(app, heard);
      const { id } = browser.user;
      const { sid } = await onlySessionOf(browser);
      await setUser(app.services, app.account, id, { status: 'suspended' });
      await setUser(app.services, app.account, id, { status: 'active' });
      app.services.clock.advance(13 * hour);
      const later = await tokensOf(browser, browser.user, {});
      assert.notEqual((await onlySessionOf(browser)).sid, sid);
      const waited = await refresh(app, browser.client, browser.tokens.refresh_token);
      assert.equal(decodeJwt(waited.body.id_token)['sid'], undefined);
      await signOut(browser.jar);
      assert.equal(await isGood(browser, later.refresh_token), false);
      assert.equal(await isGood(browser, waited.body.refresh_token), true);
    });

    check('a copy of an older cookie is not a second session', async () => {
      const browser = await signedInBrowser(app);
      const { sid } = await onlySessionOf(browser);
      const copy = { ...browser, jar: copyOf(browser.jar) };
      app.services.clock.advance(13 * hour);
      await tokensOf(browser, browser.user, {});
      await tokensOf(copy, browser.user, {});
      assert.deepEqual((await sidsOf(browser)).filter((one) => one === sid).length, 1);
    });
  });
}
