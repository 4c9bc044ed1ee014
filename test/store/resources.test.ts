/** Conditional writers lock a resource and what is shown with it; several at once take turns. */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { untilWaiting } from '../support/locks.ts';
import { openTestStore, type TestStore } from '../support/stores.ts';
import { newCast, now, unique } from './samples.ts';

describe('the resources of conditional writes on postgres', () => {
  let opened: TestStore;
  before(async () => {
    opened = await openTestStore('postgres');
  });
  after(() => opened.dispose());

  for (const [kind, link] of [
    ['user', 'users'],
    ['app', 'apps'],
  ] as const) {
    it(`a writer of a role and one of its ${kind} wait for each other, and none has to begin again`, async () => {
      const { store, url } = opened;
      const { accountId, userId, appId } = await newCast(store);
      const { id: roleId } = await store.roles.create({ accountId, name: unique('role'), createdAt: now });
      const linked = kind === 'user' ? userId : appId;
      await store.roles.link(accountId, link, roleId, [linked], now);
      const [held, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const attempts = { role: 0, other: 0 };
      const ofRole = store.transaction(async (tx) => {
        attempts.role += 1;
        assert.ok(await tx.resources.findLocked(accountId, 'role', `${roleId}`));
        held.resolve();
        await goOn.promise;
        await tx.roles.link(accountId, link, roleId, [linked], now);
      });
      await held.promise;
      const ofOther = store.transaction(async (tx) => {
        attempts.other += 1;
        assert.ok(await tx.resources.findLocked(accountId, kind, `${linked}`));
      });
      await untilWaiting(url, ofOther);
      goOn.resolve();
      await Promise.all([ofRole, ofOther]);
      assert.deepEqual(attempts, { role: 1, other: 1 });
    });
  }

  it('a writer of the policy of a role has the role to itself, and leaves its links to others', async () => {
    const { store, url } = opened;
    const { accountId, userId } = await newCast(store);
    const { id: roleId } = await store.roles.create({ accountId, name: unique('role'), createdAt: now });
    await store.roles.link(accountId, 'users', roleId, [userId], now);
    const [held, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const holding = store.transaction(async (tx) => {
      assert.ok(await tx.resources.findLocked(accountId, 'role_policy', `${roleId}`));
      held.resolve();
      await goOn.promise;
    });
    await held.promise;
    const told: string[] = [];
    const unlinking = store.roles.unlink(accountId, 'users', roleId, [userId]).then(() => told.push('unlinked'));
    await untilWaiting(url, unlinking);
    const assigning = store.policies.assign(accountId, { roleId }, null).then(() => told.push('assigned'));
    await untilWaiting(url, assigning);
    const toldMeanwhile = [...told];
    goOn.resolve();
    await Promise.all([holding, unlinking, assigning]);
    assert.deepEqual(toldMeanwhile, ['unlinked']);
    await store.roles.remove(accountId, roleId, now);
    const again = store.transaction((tx) => tx.resources.findLocked(accountId, 'role_policy', `${roleId}`));
    assert.equal(await again, false);
  });
});
