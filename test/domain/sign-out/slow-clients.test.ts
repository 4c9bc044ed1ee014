/** A client that does not answer notices holds up no other client of its account. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { Egress } from '../../../src/domain/egress.ts';
import { createLogoutNotices } from '../../../src/domain/sign-out/notices.ts';
import { newGrant } from '../../store/samples.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { fetched } from '../../support/egress.ts';
import { readTable } from '../../support/rows.ts';
import { sampledDatabases } from '../../support/sample.ts';
import { makeUser, redirectUri, registerClient } from '../../support/sign-in.ts';

for (const kind of sampledDatabases) {
  describe(`clients that do not answer notices, on ${kind}`, () => {
    let app: TestApp;
    const asked: string[] = [];
    let waiting: (() => void)[] = [];
    let isSilent = true;
    const egress: Egress = {
      fetch: async ({ url }) => {
        const { hostname } = new URL(url);
        asked.push(hostname);
        if (isSilent && hostname.startsWith('silent')) await new Promise<void>((resolve) => waiting.push(resolve));
        return fetched(url, '', 200);
      },
    };
    before(async () => {
      const settings = { registration: 'open', 'limit.register': 'off', 'limit.register-open': 'off' };
      app = await openTestApp(kind, { settings });
    });
    after(() => app.dispose());

    const uri = (host: string, path = 'ended') => ({ backchannel_logout_uri: `https://${host}.example.com/${path}` });
    const registerOpen = async (host: string): Promise<number> => {
      const json = { redirect_uris: [redirectUri], ...uri(host) };
      const { body, status } = await app.send('POST', '/oauth2/register', { json });
      assert.equal(status, 201);
      const client = await app.services.store.clients.find(app.account.id, body.client_id, 'fresh');
      return client?.appId ?? 0;
    };
    const register = async (host: string, path?: string) => (await registerClient(app, uri(host, path))).app_id;

    /** Ends a number of a user's sessions, in each of which all of the clients got tokens. */
    async function endSessions(appIds: readonly number[], count: number): Promise<void> {
      const { id: userId } = await makeUser(app);
      const { store, clock } = app.services;
      const [accountId, now] = [app.account.id, clock.now()];
      for (let index = 0; index < count; index += 1) {
        const times = {
          authenticatedAt: now,
          createdAt: now,
          idleExpiresAt: now + 1_000,
          absoluteExpiresAt: now + 1_000,
        };
        for (const appId of appIds) await newGrant(store, { accountId, userId, appId }, { sid: `${index}`, ...times });
      }
      await store.notices.addForSessions(accountId, { userId, except: null }, () => 'x', now);
    }

    /** The requests sent while the silent clients do not answer, once the two got this many. */
    async function send(silent: number, honest: number) {
      [asked.length, waiting, isSilent] = [0, [], true];
      const over = createLogoutNotices({ ...app.services, egress }).run();
      while (countOf('silent') < silent || countOf('honest') < honest) await setTimeout(10);
      // Any unexpected request would have been sent by now.
      await setTimeout(100);
      return async () => {
        isSilent = false;
        for (const answer of waiting) answer();
        await over;
        assert.deepEqual(await readTable(app.url, 'logout_notices'), []);
      };
    }
    const countOf = (name: string) => asked.filter((host) => host.startsWith(name)).length;

    test('one client holds one place, however many of its sessions ended first', async () => {
      await endSessions([await register('silent')], 12);
      app.services.clock.advance(1);
      await endSessions([await register('honest')], 12);
      const end = await send(1, 12);
      assert.deepEqual([countOf('silent'), countOf('honest')], [1, 12]);
      await end();
    });

    test('many at one address hold one place', async () => {
      const silent = [await register('silent', 'a'), await register('silent', 'b'), await register('silent', 'c')];
      await endSessions([...silent, await register('silent', 'd'), await register('silent', 'e')], 2);
      app.services.clock.advance(1);
      await endSessions([await register('honest')], 3);
      const end = await send(1, 3);
      assert.deepEqual([countOf('silent'), countOf('honest')], [1, 3]);
      await end();
    });

    test("many clients of open registration hold half of the places, even at another client's address", async () => {
      const silent = await Promise.all(
        ['silent1', 'silent2', 'silent3', 'silent4', 'silent5', 'silent6'].map(registerOpen),
      );
      await endSessions([...silent, await registerOpen('honest')], 3);
      app.services.clock.advance(1);
      await endSessions([await register('honest'), await register('silent1')], 3);
      const end = await send(3, 3);
      assert.equal(countOf('silent'), 3, 'two of open registration, one of the operators');
      await end();
    });
  });
}
