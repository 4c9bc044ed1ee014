/** How many grants and sessions a user has at once: so few that one statement ends them all. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startGrant } from '../../../src/domain/opening/openers/grant.ts';
import { startSession } from '../../../src/domain/opening/openers/session.ts';
import { createPolicy } from '../../../src/domain/policies/policies.ts';
import type { ClientRecord } from '../../../src/store/clients.ts';
import { day, newClient, newGrant, newUser } from '../../store/samples.ts';
import { casesOn } from '../../support/sample.ts';
import { createTestAccount } from '../../support/services.ts';
import { databases } from '../../support/stores.ts';
import { onServices } from '../subject.ts';

const mostOfApp = 200;
const mostOfUser = 2000;
const mostSessions = 200;

onServices(
  'what a user has at most',
  (subject, kind) => {
    const check = casesOn(kind, test);

    async function stage() {
      const { services } = subject;
      const { store, clock } = services;
      const account = await createTestAccount(services);
      const { id: userId } = await newUser(store, account.id);
      const makeClient = async () => {
        const client = await newClient(store, account.id);
        await store.access.grant(account.id, client.appId, { userId }, clock.now());
        return client;
      };
      const begin = (client: ClientRecord, sid: string | null = null) => {
        const [now, scope] = [clock.now(), ['openid']];
        const held = { serverId: null, servers: async () => [], scope, sid };
        const terms = { userId, ...held, nonce: null, amr: ['pwd'], authenticatedAt: now };
        return store.transaction((tx) => startGrant(services, tx, account, client, terms, null, 'password'));
      };
      /** Grants that were made before, a second apart. */
      const fill = (client: ClientRecord, count: number, sid: string | null = null) =>
        store.transaction(async (tx) => {
          for (let made = 0; made < count; made += 1) {
            clock.advance(1000);
            const [createdAt, idle] = [clock.now(), clock.now() + 14 * day];
            const terms = { idleExpiresAt: idle, absoluteExpiresAt: idle, createdAt, sid };
            await newGrant(tx, { accountId: account.id, userId, appId: client.appId }, terms);
          }
        });
      const live = () => store.grants.listLive(account.id, userId, clock.now());
      const lastEvent = async () => {
        const { lastId } = await store.events.findEnd(account.id);
        const [event] = await store.events.listAfter(account.id, lastId - 1, 1);
        return [event?.action, JSON.parse(event?.detail ?? '').grants_revoked];
      };
      return { account, makeClient, begin, fill, live, lastEvent };
    }

    check(`${mostOfApp} per app: one more ends the least recently used one, and the trail records it`, async () => {
      const { account, makeClient, begin, fill, live, lastEvent } = await stage();
      const [client, other] = [await makeClient(), await makeClient()];
      await fill(other, 1);
      await fill(client, mostOfApp - 1);
      await begin(client);
      assert.deepEqual(await lastEvent(), ['grant.issued', undefined]);
      const before = await live();
      assert.equal(before.length, mostOfApp + 1);
      const { grant, refreshToken } = await begin(client);
      assert.ok(refreshToken);
      assert.deepEqual(await lastEvent(), ['grant.issued', 1]);
      const ended = before[1]?.id ?? 0;
      const after = (await live()).map(({ id }) => id);
      assert.deepEqual(after, [...before.map(({ id }) => id).filter((id) => id !== ended), grant.id]);
      assert.equal(await subject.services.store.grants.find(account.id, ended), null);
    });

    check(
      'the newest grant of an app in a session stays: silent sign-ins end neither another device nor a session’s last',
      async () => {
        const { makeClient, begin, fill, live } = await stage();
        const client = await makeClient();
        await fill(client, 1);
        await fill(client, 1, 'telephone');
        await fill(client, 2, 'another browser');
        const [alone, telephone, superseded, newest] = await live();
        for (let made = 0; made < mostOfApp + 5; made += 1) await begin(client, 'browser');
        const after = (await live()).map(({ id }) => id);
        assert.equal(after.length, mostOfApp);
        for (const kept of [alone, telephone, newest]) assert.ok(kept && after.includes(kept.id));
        assert.ok(superseded && !after.includes(superseded.id));
      },
    );

    check('revoked ones count and are dropped first', async () => {
      const { account, makeClient, begin, fill, live, lastEvent } = await stage();
      const client = await makeClient();
      await fill(client, mostOfApp);
      const before = await live();
      const revoked = before.at(-1)?.id ?? 0;
      await subject.services.store.grants.revoke(
        account.id,
        revoked,
        subject.services.clock.now(),
        'revoked by the client',
      );
      await begin(client);
      assert.deepEqual(await lastEvent(), ['grant.issued', undefined]);
      assert.equal((await live()).length, mostOfApp);
      assert.equal(await subject.services.store.grants.find(account.id, revoked), null);
    });

    check(`${mostOfUser} in all, for any number of apps`, async () => {
      const { makeClient, begin, fill, live, lastEvent } = await stage();
      for (let app = 0; app < 12; app += 1) await fill(await makeClient(), mostOfApp - 1);
      const client = await makeClient();
      const counts: number[] = [];
      // Only a release without the limit can exceed it: each new grant removes a hundred.
      for (let made = 0; made < 6; made += 1) {
        await begin(client);
        counts.push((await live()).length);
      }
      assert.deepEqual(counts, [2289, 2190, 2091, 2000, 2000, 2000]);
      assert.deepEqual(await lastEvent(), ['grant.issued', 1]);
    });

    check(`${mostSessions} sessions: one more ends the least recently used one like a sign-out`, async () => {
      const { services } = subject;
      const { store, clock } = services;
      const account = await createTestAccount(services);
      const user = await newUser(store, account.id);
      const { id: policyId } = await createPolicy(services, account, { name: 'Usual' });
      const policy = (await store.policies.find(account.id, policyId)) ?? assert.fail();
      const begin = () => {
        clock.advance(1000);
        const signedIn = { amr: ['pwd'], authenticatedAt: clock.now() };
        return store.transaction((tx) => startSession(services, tx, account, user, policy, signedIn, undefined));
      };
      const first = await begin();
      const { appId } = await newClient(store, account.id);
      await store.access.grant(account.id, appId, { userId: user.id }, clock.now());
      const times = { idleExpiresAt: clock.now() + day, absoluteExpiresAt: clock.now() + day };
      const grant = await newGrant(
        store,
        { accountId: account.id, userId: user.id, appId },
        { sid: first.sid, ...times },
      );
      const started: string[] = [];
      while (started.length < mostSessions - 1) started.push((await begin()).sid);
      const sids = async () =>
        (await store.sessions.listOfUser(account.id, user.id, 500)).map(({ sid }) => sid).reverse();
      assert.deepEqual(await sids(), [first.sid, ...started]);
      const { sid } = await begin();
      assert.deepEqual(await sids(), [...started, sid]);
      assert.equal((await store.grants.find(account.id, grant.id))?.revokedBecause, 'session ended');
      const { lastId } = await store.events.findEnd(account.id);
      const [event] = await store.events.listAfter(account.id, lastId - 1, 1);
      const { session_id: _, ...counted } = JSON.parse(event?.detail ?? '');
      assert.deepEqual([event?.action, counted], ['session.ended', { grants_revoked: 1, clients_told: 0 }]);
    });
  },
  databases,
);
