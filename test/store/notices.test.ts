import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NoticeExcept, NoticeRecord } from '../../src/store/notices.ts';
import { readTable } from '../support/rows.ts';
import { hour, minute, newCast, newClient, newGrant, newUser, now, unique } from './samples.ts';
import { onEachDatabase } from './suite.ts';

onEachDatabase('what clients are to be told', (subject) => {
  const extra = { backchannel_logout_uri: 'https://app.example.com/ended' };
  const subjectFor = ({ sector }: { readonly sector: string | null }) => `of ${sector}`;

  /** The pending notices to an account's clients, in order: app, subject, session. */
  async function told(accountId: number): Promise<unknown[]> {
    const rows = (await readTable(subject.url, 'logout_notices')).map(Object);
    return rows
      .filter(({ account_id: id }) => Number(id) === accountId)
      .map((row) => {
        assert.deepEqual([Number(row.attempts), Number(row.due_at)], [0, now]);
        return [Number(row.app_id), row.subject, row.sid];
      })
      .toSorted();
  }

  /** A user with one client that is not notified, and two that are. */
  async function stage() {
    const cast = await newCast(subject.store);
    const { appId: one } = await newClient(subject.store, cast.accountId, { extra });
    const { appId: two } = await newClient(subject.store, cast.accountId, { extra, sector: 'two.example' });
    const grant = (appId: number, sid: string | null, given = {}) =>
      newGrant(subject.store, { ...cast, appId }, { sid, ...given });
    const begin = (sid: string) =>
      subject.store.sessions.create({
        ...{ accountId: cast.accountId, userId: cast.userId, digest: unique(), sid, amr: ['pwd'] },
        ...{ authenticatedAt: now, lastSeenAt: now, idleMilliseconds: minute, expiresAt: now + hour },
      });
    return { ...cast, one, two, grant, begin };
  }

  test('one session ends: each client that got tokens in it, once, even if they have ended', async () => {
    const { notices } = subject.store;
    const { accountId, userId, appId, one, two, grant } = await stage();
    await grant(appId, 'a');
    for (let times = 0; times < 3; times += 1) await grant(one, 'a');
    await grant(two, 'a', { revokedAt: now });
    await grant(two, 'b');
    const { id: otherId } = await newUser(subject.store, accountId);
    assert.equal(await notices.addForSessions(accountId, { userId: otherId, sid: 'a' }, subjectFor, now), 0);
    assert.equal(await notices.addForSessions(accountId + 1, { userId, sid: 'a' }, subjectFor, now), 0);
    assert.deepEqual(await told(accountId), []);
    assert.equal(await notices.addForSessions(accountId, { userId, sid: 'a' }, subjectFor, now), 2);
    assert.deepEqual(await told(accountId), [
      [one, 'of null', 'a'],
      [two, 'of two.example', 'a'],
    ]);
  });

  test("all of a user's sessions end except one: open ones, and those of live grants", async () => {
    const { notices } = subject.store;
    const { accountId, userId, appId, one, two, grant, begin } = await stage();
    for (const sid of ['open', 'own']) await begin(sid);
    await grant(appId, 'open');
    await grant(one, 'open', { revokedAt: now });
    await grant(one, 'own');
    await grant(one, 'over');
    await grant(two, 'over', { revokedAt: now });
    await grant(one, 'revoked', { revokedAt: now });
    await grant(one, 'idle', { idleExpiresAt: now });
    await grant(one, 'old', { absoluteExpiresAt: now });
    await grant(one, null);
    const elsewhere = { accountId, appId: one, userId: (await newUser(subject.store, accountId)).id };
    await newGrant(subject.store, elsewhere, { sid: 'other' });
    assert.equal(await notices.addForSessions(accountId, { userId, except: 'own' }, subjectFor, now), 3);
    const expected = [
      [one, 'of null', 'open'],
      [one, 'of null', 'over'],
      [two, 'of two.example', 'over'],
    ];
    assert.deepEqual(await told(accountId), expected);
    assert.equal(await notices.addForSessions(accountId, { userId, except: null }, subjectFor, now), 4);
    const again = [...expected, ...expected, [one, 'of null', 'own']];
    assert.deepEqual(await told(accountId), again.toSorted());
  });

  test('more clients than a statement takes', async () => {
    const { accountId, userId, grant } = await stage();
    for (let count = 0; count < 101; count += 1) {
      const { appId } = await newClient(subject.store, accountId, { extra });
      await grant(appId, 'a');
      await grant(appId, 'b');
    }
    const ended = { userId, except: null };
    assert.equal(await subject.store.notices.addForSessions(accountId, ended, subjectFor, now), 202);
    assert.equal((await told(accountId)).length, 202);
  });

  test('claims skip excluded accounts, clients and hosts, and take the longest due first', async () => {
    const { notices } = subject.store;
    const [one, two] = [await stage(), await stage()];
    const elsewhere = { backchannel_logout_uri: 'https://other.example.com:8443/ended' };
    const { accountId, userId } = one;
    const { appId: other } = await newClient(subject.store, accountId, { extra: elsewhere });
    const { appId: open } = await newClient(subject.store, accountId, { extra, registeredBy: 'open' });
    for (const [at, appId] of [one.one, one.two, other, open].entries()) {
      await one.grant(appId, `session ${at}`);
      await notices.addForSessions(accountId, { userId, sid: `session ${at}` }, subjectFor, now - 10 + at);
    }
    await two.grant(two.one, 'a');
    await notices.addForSessions(two.accountId, { userId: two.userId, sid: 'a' }, subjectFor, now - 1);
    const none = { accounts: [], clients: [], hosts: [], openOf: [] };
    const [app, others] = ['app.example.com', 'other.example.com:8443'];
    const dueAtOf = ({ accountId: id, sid }: NoticeRecord) => {
      if (id === accountId) return now - 10 + Number(sid.split(' ')[1]);
      return id === two.accountId ? now - 1 : now;
    };
    /** Which client's is claimed, where it is of one of the two accounts; it is put back. */
    async function claimed(except: Partial<NoticeExcept>): Promise<number | undefined> {
      const [notice, ...more] = await notices.claim(now, now + minute, 1, { ...none, ...except });
      assert.deepEqual(more, []);
      if (!notice) return undefined;
      await notices.postpone(notice.accountId, notice.id, dueAtOf(notice));
      return dueAtOf(notice) < now ? notice.appId : undefined;
    }
    const clients = [one.one, one.two, other, open].map((appId) => ({ accountId, appId }));
    const host = (name: string, registeredBy: 'token' | 'open' = 'token') => ({ accountId, host: name, registeredBy });
    for (const [except, appId] of [
      [{}, one.one],
      [{ clients: clients.slice(0, 1) }, one.two],
      [{ hosts: [host(app)] }, other],
      [{ hosts: [host(app), host(others)] }, open],
      [{ hosts: [host(app), host(others), host(app, 'open')] }, two.one],
      [{ hosts: [host(app), host(others)], openOf: [accountId] }, two.one],
      [{ hosts: [host(app), host(others)], openOf: [two.accountId] }, open],
      [{ clients: clients.slice(0, 2), hosts: [host(others)] }, open],
      [{ accounts: [accountId] }, two.one],
      [{ accounts: [accountId, two.accountId] }, undefined],
      [{ clients, hosts: [{ ...host(app), accountId: two.accountId }] }, undefined],
    ] as const) {
      assert.equal(await claimed(except), appId, JSON.stringify(except));
    }
  });
});
