import assert from 'node:assert/strict';
import { test } from 'node:test';
import { purgeAll } from '../support/purge.ts';
import { day, hour, newAccount, newUser, now } from './samples.ts';
import { onEachDatabase } from './suite.ts';

onEachDatabase('links that users ask for', (subject) => {
  async function newRequest(dueAt = now) {
    const { id: accountId } = await newAccount(subject.store);
    const request = { accountId, sealedName: 'sealed', source: '192.0.2.17', requestId: 'r', attempts: 0 };
    await subject.store.resetRequests.add({ ...request, createdAt: now, dueAt });
    return request;
  }

  test('a due request is claimed by one of many, with an attempt counted', async () => {
    const { resetRequests } = subject.store;
    const request = await newRequest();
    await newRequest(now + 1);
    const claims = await Promise.all([1, 2, 3].map(() => resetRequests.claim(now, now + hour, 10)));
    const [claimed, ...others] = claims.flat();
    assert.deepEqual(others, []);
    assert.deepEqual(claimed, { ...request, id: claimed?.id, attempts: 1, createdAt: now, dueAt: now + hour });
    const id = claimed?.id ?? 0;
    assert.equal(await resetRequests.countOpen(request.accountId), 1);
    await resetRequests.postpone(request.accountId, id, now);
    assert.equal((await resetRequests.claim(now, now + hour, 10))[0]?.attempts, 2);
    assert.equal(await resetRequests.remove(request.accountId + 1, id), false);
    assert.equal(await resetRequests.remove(request.accountId, id), true);
    assert.equal(await resetRequests.remove(request.accountId, id), false);
    assert.equal(await resetRequests.countOpen(request.accountId), 0);
    for (const { accountId, id: other } of await resetRequests.claim(now + day, now, 10)) {
      await resetRequests.remove(accountId, other);
    }
  });

  test('claims skip excluded accounts and are limited to the requested number', async () => {
    const { resetRequests } = subject.store;
    const [one, two] = [await newRequest(now - 1), await newRequest()];
    for (let count = 0; count < 3; count += 1) await resetRequests.add({ ...one, createdAt: now, dueAt: now - 1 });
    const accountsOf = async (limit: number, except?: readonly number[]) =>
      (await resetRequests.claim(now, now + hour, limit, except)).map(({ accountId }) => accountId);
    assert.deepEqual(await accountsOf(10, [one.accountId]), [two.accountId]);
    assert.deepEqual(await accountsOf(10, [one.accountId, two.accountId]), []);
    assert.deepEqual(await accountsOf(1), [one.accountId]);
    assert.deepEqual(
      await accountsOf(10),
      Array.from({ length: 3 }, () => one.accountId),
    );
    for (const { accountId, id } of await resetRequests.claim(now + day, now, 10)) {
      await resetRequests.remove(accountId, id);
    }
  });

  test('sent links are stored separately from invites, and are removed a day after they expired', async () => {
    const { store } = subject;
    const { id: accountId } = await newAccount(store);
    const { id: userId } = await newUser(store, accountId);
    const made = { createdAt: now, expiresAt: now + hour, usedAt: null, meansVersion: 2 };
    const link = { accountId, userId, digest: 'digest', ...made };
    await store.passwordResets.add(link);
    assert.deepEqual(await store.passwordResets.find(accountId, 'digest'), link);
    assert.equal(await store.invites.find(accountId, 'digest'), null);
    await store.passwordResets.add({ ...link, digest: 'other' });
    assert.deepEqual(await store.passwordResets.find(accountId, 'digest'), link, 'next to the previous one');
    await store.invites.replace({ ...link, digest: 'invite' });
    assert.equal(await store.passwordResets.use(accountId, 'digest', now), true);
    assert.equal(await store.passwordResets.use(accountId, 'digest', now), false);
    assert.equal((await store.invites.find(accountId, 'invite'))?.usedAt, null);
    assert.equal((await store.passwordResets.find(accountId, 'other'))?.usedAt, null);
    await purgeAll(store, now + hour + day - 1);
    assert.ok(await store.passwordResets.find(accountId, 'digest'));
    await purgeAll(store, now + hour + day);
    assert.equal(await store.passwordResets.find(accountId, 'digest'), null);
  });
});
