import assert from 'node:assert/strict';
import { test } from 'node:test';
import { purgeAll } from '../support/purge.ts';
import { day, hour, newAccount, newUser, now } from './samples.ts';
import { onEachDatabase } from './suite.ts';

onEachDatabase('invite links', (subject) => {
  async function newLink(digest: string, expiresAt = now + hour) {
    const { store } = subject;
    const { id: accountId } = await newAccount(store);
    const { id: userId } = await newUser(store, accountId);
    const link = { accountId, userId, digest, createdAt: now, expiresAt, usedAt: null, meansVersion: 3 };
    await store.invites.replace(link);
    return link;
  }

  test('a link is read back as it was created, in its account only', async () => {
    const { invites } = subject.store;
    const link = await newLink('one');
    const other = await newLink('one');
    assert.deepEqual(await invites.find(link.accountId, 'one'), link);
    assert.deepEqual(await invites.find(other.accountId, 'one'), other);
    assert.equal(await invites.find(link.accountId, 'two'), null);
    assert.equal(await invites.use(link.accountId, 'two', now), false);
  });

  test('a newer link replaces the former one, used or not', async () => {
    const { invites } = subject.store;
    const link = await newLink('former');
    assert.equal(await invites.use(link.accountId, 'former', now), true);
    await invites.replace({ ...link, digest: 'newer', createdAt: now + 1 });
    assert.equal(await invites.find(link.accountId, 'former'), null);
    assert.deepEqual(await invites.find(link.accountId, 'newer'), { ...link, digest: 'newer', createdAt: now + 1 });
  });

  test('a link is used by exactly one of many callers, and not after it expired', async () => {
    const { invites } = subject.store;
    const { accountId } = await newLink('contested');
    const uses = await Promise.all(Array.from({ length: 8 }, () => invites.use(accountId, 'contested', now)));
    assert.equal(uses.filter(Boolean).length, 1);
    assert.equal((await invites.find(accountId, 'contested'))?.usedAt, now);
    const late = await newLink('late');
    assert.equal(await invites.use(late.accountId, 'late', late.expiresAt), false);
  });

  test('a link is removed with its user, or a month after it expired', async () => {
    const { store } = subject;
    const link = await newLink('gone');
    await store.users.remove(link.accountId, link.userId, now);
    assert.equal(await store.invites.find(link.accountId, 'gone'), null);
    const old = await newLink('old', now);
    await purgeAll(store, now + 30 * day - 1);
    assert.ok(await store.invites.find(old.accountId, 'old'));
    await purgeAll(store, now + 30 * day);
    assert.equal(await store.invites.find(old.accountId, 'old'), null);
  });
});
