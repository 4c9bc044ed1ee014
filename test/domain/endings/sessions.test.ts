/** A session that changes while it ends. */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { raiseSession } from '../../../src/domain/opening/openers/session.ts';
import { endOneSession } from '../../../src/domain/own-account/sessions.ts';
import type { SessionRecord } from '../../../src/store/records.ts';
import type { Store } from '../../../src/store/store.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { readRows } from '../../support/rows.ts';
import { refresh } from '../../support/sign-in.ts';
import { type SignedInBrowser, signedInBrowser } from '../../support/sign-out.ts';
import { databases } from '../../support/stores.ts';

for (const kind of databases) {
  describe(`the end of a session on ${kind}`, () => {
    let app: TestApp;
    before(async () => {
      app = await openTestApp(kind, { settings: { 'limit.register': 'off', 'limit.sign-in': 'off' } });
    });
    after(() => app.dispose());

    const sessionsOf = ({ user }: Pick<SignedInBrowser, 'user'>) =>
      app.services.store.sessions.listOfUser(app.account.id, user.id, 10);

    async function onlySessionOf(browser: Pick<SignedInBrowser, 'user'>): Promise<SessionRecord> {
      const [session, ...more] = await sessionsOf(browser);
      assert.ok(session && more.length === 0);
      return session;
    }

    const raise = (session: SessionRecord) =>
      app.services.store.transaction((tx) => raiseSession(app.services, tx, session, ['pwd', 'otp']));

    /** Whether a refresh token works. */
    const isGood = async ({ client }: Pick<SignedInBrowser, 'client'>, token: string) =>
      (await refresh(app, client, token)).status === 200;

    /** Names of the sessions of which clients are to be told. */
    async function toldOf({ client }: Pick<SignedInBrowser, 'client'>): Promise<unknown[]> {
      const rows = ((await readRows(app.url))['logout_notices'] ?? []).map(Object);
      return rows.filter(({ app_id: appId }) => Number(appId) === client.app_id).map(({ sid }) => sid);
    }

    const heard = { backchannel_logout_uri: 'https://rp.example.com/ended' };

    it('ends one that was raised after it was looked up', async () => {
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
      await endOneSession({ ...app.services, store: late }, app.account, browser, session.id);
      assert.deepEqual(await sessionsOf(browser), []);
      assert.equal(await isGood(browser, browser.tokens.refresh_token), false);
      assert.deepEqual(await toldOf(browser), [session.sid]);
    });

    it('ends one that was raised after the page with the list was made', async () => {
      const browser = await signedInBrowser(app);
      const session = await onlySessionOf(browser);
      await raise(session);
      await endOneSession(app.services, app.account, browser, session.id);
      assert.deepEqual(await sessionsOf(browser), []);
    });
  });
}
