/** What a transaction left to send is sent at once. */

import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { createApp } from '../../src/app.ts';
import { unlinkClient } from '../../src/domain/authorization-servers/links.ts';
import { removeServer } from '../../src/domain/authorization-servers/servers.ts';
import { removeApp } from '../../src/domain/clients/managed-apps.ts';
import { endAllSessions, endOneSession, listSessions } from '../../src/domain/own-account/sessions.ts';
import { removeRole } from '../../src/domain/roles/write-role.ts';
import { createCustomAttribute, removeCustomAttribute } from '../../src/domain/users/custom-attributes.ts';
import { removeUser } from '../../src/domain/users/users.ts';
import { updateUser } from '../../src/domain/users/write-user.ts';
import { wakeAfterCommit } from '../../src/domain/wake-after-commit.ts';
import { linkApi, makeApi } from '../support/api.ts';
import { openTestApp, seenFrom, type TestApp } from '../support/app.ts';
import { chosen, newInvite } from '../support/invites.ts';
import { countRows } from '../support/rows.ts';
import { casesOn } from '../support/sample.ts';
import { authorizePath, CookieJar, makeUser, password, registerClient, submit, walk } from '../support/sign-in.ts';
import { beginSignOut, type SignedInBrowser, signedInBrowser } from '../support/sign-out.ts';
import { databases } from '../support/stores.ts';
import { setUser } from '../support/users.ts';

for (const kind of databases) {
  describe(`workers are woken after the commit on ${kind}`, () => {
    const check = casesOn(kind, it);
    let opened: TestApp;
    let app: TestApp;
    let woken: Promise<readonly [table: string, rows: number]>[] = [];
    const rows = (table: string) => countRows(opened.url, `select 1 from ${table}`);
    before(async () => {
      opened = await openTestApp(kind, { settings: { 'limit.register': 'off' } });
      const finding = (table: string) => ({
        wake: () => void woken.push(rows(table).then((count) => [table, count] as const)),
      });
      const workers = {
        changeNotices: finding('change_notices'),
        logoutNotices: finding('logout_notices'),
        clearing: finding('removals'),
      };
      const store = wakeAfterCommit(opened.services.store, workers);
      const services = { ...opened.services, store };
      app = seenFrom(opened.account, createApp(services), services, opened);
    });
    beforeEach(() => {
      woken = [];
    });
    after(() => app.dispose());

    /** The rows that woken workers found, and their number. */
    const found = () => Promise.all(woken);

    check('by a change of how a user signs in, and by no other', async () => {
      const user = await makeUser(app);
      await setUser(app.services, app.account, user.id, { firstname: 'Grace' });
      assert.deepEqual(await found(), []);
      const before = await rows('change_notices');
      await setUser(app.services, app.account, user.id, { username: `woken-${user.id}` });
      assert.deepEqual(await found(), [['change_notices', before + 1]]);
    });

    check('not by a change that is rolled back', async () => {
      const { user } = await signedInBrowser(app, { backchannel_logout_uri: 'https://rp.example.com/ended' });
      await assert.rejects(
        app.services.store.transaction(async (tx) => {
          const unsent = { changedAt: 0, attempts: 0, dueAt: 0, allowedAt: null };
          const notice = { accountId: app.account.id, address: 'a@b', standing: 'proven', ...unsent } as const;
          await tx.changeNotices.add({ ...notice, changes: ['password'] });
          const ended = { userId: user.id, except: null };
          assert.equal(await tx.notices.addForSessions(app.account.id, ended, () => 'x', app.services.clock.now()), 1);
          throw new Error('rolled back');
        }),
      );
      assert.deepEqual(await found(), []);
    });

    const input = { validatePolicy: false, authority: 'all' } as const;
    const endings: Readonly<Record<string, (browser: SignedInBrowser) => Promise<unknown>>> = {
      'a link that sets a password': async ({ user }) =>
        submit(app, await walk(app, new CookieJar(), await newInvite(app, user.email)), chosen),
      'a new password for an expired one': async ({ user, client }) => {
        await app.services.store.users.update(app.account.id, user.id, { status: 4 });
        const at = await walk(app, new CookieJar(), authorizePath(client));
        return submit(app, await submit(app, at, { username: user.email ?? '', password }), chosen);
      },
      'a sign-out': async ({ jar }) => submit(app, await beginSignOut(app, jar), {}),
      'another user who signs in': async ({ jar, client }) => {
        const { email } = await makeUser(app, client.app_id);
        const at = await walk(app, jar, authorizePath(client, { prompt: 'login' }));
        return submit(app, at, { username: email ?? '', password });
      },
      'the end of one session': async ({ user }) => {
        const [session] = await listSessions(app.services, app.account, user);
        assert.ok(session);
        return endOneSession(app.services, app.account, { user, session }, session.id);
      },
      'the end of all sessions': async ({ user }) => {
        const [session] = await listSessions(app.services, app.account, user);
        assert.ok(session);
        return endAllSessions(app.services, app.account, { user, session });
      },
      'a suspension': ({ user }) => updateUser(app.services, app.account, user.id, { ...input, status: 2 }),
      'a password from the command line': ({ user }) =>
        setUser(app.services, app.account, user.id, { password: chosen.new_password }),
      'the removal of the user': ({ user }) => removeUser(app.services, app.account, user.id),
    };
    check('to clear removed rows, and what depended on lost access', async () => {
      const { store } = app.services;
      const removals = () => found().then((all) => all.filter(([table]) => table === 'removals').length);
      const accountId = app.account.id;
      const { app_id: appId } = await registerClient(app);
      const role = await store.roles.create({ accountId, name: 'woken', createdAt: 0 });
      await removeUser(app.services, app.account, (await makeUser(app)).id);
      assert.equal(await removals(), 1);
      await store.transaction((tx) => tx.access.endLost(accountId, [appId], 1));
      assert.equal(await removals(), 2);
      await removeRole(app.services, app.account, role.id);
      assert.equal(await removals(), 3);
      await removeApp(app.services, app.account, appId);
      assert.equal(await removals(), 4);
      const attribute = { name: 'Woken', shortname: 'woken' };
      const { id } = await createCustomAttribute(app.services, app.account, attribute);
      await removeCustomAttribute(app.services, app.account, id);
      assert.equal(await removals(), 5);
      const api = await makeApi(app);
      const linked = await registerClient(app);
      await linkApi(app, linked, api);
      await unlinkClient(app.services, app.account, api.id, linked.app_id);
      assert.equal(await removals(), 6);
      await removeServer(app.services, app.account, api.id);
      assert.equal(await removals(), 7);
    });

    for (const [name, end] of Object.entries(endings)) {
      check(`clients are notified at once of ${name}`, async () => {
        const browser = await signedInBrowser(app, { backchannel_logout_uri: 'https://rp.example.com/ended' });
        const before = await rows('logout_notices');
        await end(browser);
        const told = (await found()).filter(([table]) => table === 'logout_notices');
        assert.deepEqual(told, [['logout_notices', before + 1]]);
      });
    }
  });
}
