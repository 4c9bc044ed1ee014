/** What is committed by others just before, or within, the transaction that opens or allows something. */

import assert from 'node:assert/strict';
import { AsyncResource } from 'node:async_hooks';
import { after, before, describe, it } from 'node:test';
import { endConsent } from '../../../src/domain/endings/end-app.ts';
import type { StoreVerbs } from '../../../src/store/store.ts';
import { linkApi, makeApi } from '../../support/api.ts';
import type { TestApp } from '../../support/app.ts';
import {
  authorizePath,
  CookieJar,
  makeUser,
  readForm,
  redeem,
  refresh,
  registerClient,
  signInForCode,
  walk,
} from '../../support/sign-in.ts';
import { databases } from '../../support/stores.ts';
import { openWith, unlimited } from '../../surfaces/pages/browsing.ts';

type Work = () => Promise<unknown>;

for (const kind of databases) {
  describe(`what is committed meanwhile on ${kind}`, () => {
    /** Each runs once, outside of the transaction. */
    const next: { beforeTransaction: Work | null; afterServers: Work | null } = {
      beforeTransaction: null,
      afterServers: null,
    };
    const outside = new AsyncResource('outside of transactions');
    const run = async (moment: keyof typeof next) => {
      const work = next[moment];
      next[moment] = null;
      if (work) await outside.runInAsyncScope(work);
    };
    const watched = (tx: StoreVerbs): StoreVerbs => ({
      ...tx,
      authorizationServers: {
        ...tx.authorizationServers,
        ofClient: async (...given) => {
          const found = await tx.authorizationServers.ofClient(...given);
          await run('afterServers');
          return found;
        },
      },
    });
    let app: TestApp;
    before(async () => {
      app = await openWith(
        kind,
        ({ store }) => ({
          store: {
            ...store,
            transaction: async (work) => {
              await run('beforeTransaction');
              return store.transaction((tx) => work(watched(tx)));
            },
          },
        }),
        unlimited,
      );
    });
    after(() => app.dispose());

    it('a consent that is withdrawn before "Allow" is stored stays withdrawn', async () => {
      const client = await registerClient(app);
      const user = await makeUser(app, client.app_id);
      const jar = new CookieJar();
      await signInForCode(app, client, user, {}, jar);
      const { store, clock } = app.services;
      const at = await walk(app, jar, authorizePath(client, { prompt: 'consent' }));
      // The decision gives the request a row, which the withdrawal ends.
      const { action, fields } = readForm(at.answer.text);
      const allow = () => app.send('POST', action, { headers: jar.header, form: { ...fields, decision: 'allow' } });
      assert.equal((await allow()).status, 303);
      next.beforeTransaction = () =>
        store.transaction((tx) => endConsent(tx, app.account, user.id, client.app_id, clock.now()));
      assert.equal((await allow()).status, 400);
      assert.equal(await store.authorizations.findConsent(app.account.id, user.id, client.app_id), null);
    });

    // SQLite has one writer: nothing is committed within a transaction.
    if (kind === 'postgres') {
      it('an API that is linked after the consent was compared with the linked ones is not in the grant', async () => {
        const client = await registerClient(app);
        const user = await makeUser(app, client.app_id);
        const [one, two] = [await makeApi(app, ['write']), await makeApi(app, ['write'])];
        await linkApi(app, client, one);
        const code = (await signInForCode(app, client, user, { scope: 'openid write' })).get('code') ?? '';
        next.afterServers = () => linkApi(app, client, two);
        const { refresh_token: token } = await redeem(app, client, code);
        assert.equal(next.afterServers, null);
        const answer = await refresh(app, client, token, '/oauth2/token', { resource: two.resource });
        assert.doesNotMatch(String(answer.body.scope), /write/);
      });
    }
  });
}
