import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureOf, newAccount, newUser, now, unique } from './samples.ts';
import { onEachDatabase } from './suite.ts';

onEachDatabase('custom attributes', (subject) => {
  async function newAttribute(accountId: number, shortname = unique('attribute')) {
    return subject.store.attributes.create({ accountId, name: shortname, shortname, createdAt: now });
  }

  test('an attribute is found in its account only, and is added after the last', async () => {
    const { attributes } = subject.store;
    const [{ id: accountId }, { id: otherId }] = [await newAccount(subject.store), await newAccount(subject.store)];
    const [first, second] = [await newAttribute(accountId, 'badge'), await newAttribute(accountId)];
    assert.deepEqual([first.position, second.position], [1, 2]);
    assert.deepEqual(await attributes.find(accountId, first.id), first);
    assert.deepEqual(await attributes.list(accountId), [first, second]);
    assert.equal(await attributes.find(otherId, first.id), null);
    assert.equal(await failureOf(newAttribute(accountId, 'badge')), 'conflict shortname');
    const taken = attributes.update(accountId, second.id, { shortname: 'badge' });
    assert.equal(await failureOf(taken), 'conflict shortname');
    assert.deepEqual(await attributes.update(accountId, second.id, { position: 9 }), { ...second, position: 9 });
    assert.deepEqual(await attributes.update(accountId, first.id, {}), first);
    assert.equal(await attributes.update(otherId, first.id, { position: 9 }), null);
    assert.equal(await attributes.remove(otherId, first.id, now), false);
    await newAttribute(otherId, 'badge');
  });

  test('no position exceeds the largest number', async () => {
    const { attributes } = subject.store;
    const { id: accountId } = await newAccount(subject.store);
    const last = await newAttribute(accountId);
    await attributes.update(accountId, last.id, { position: 2_147_483_647 });
    assert.equal((await newAttribute(accountId)).position, 2_147_483_647);
  });

  test('a user has at most one value, which is removed with the user and with the attribute', async () => {
    const { attributes, users } = subject.store;
    const { id: accountId } = await newAccount(subject.store);
    const [ada, bob] = [await newUser(subject.store, accountId), await newUser(subject.store, accountId)];
    const [badge, seat] = [await newAttribute(accountId), await newAttribute(accountId)];
    const set = (user: { id: number }, attribute: { id: number }, value: string | null) =>
      attributes.setValues(accountId, [{ userId: user.id, attributeId: attribute.id, value }]);
    await set(ada, badge, 'old');
    await set(ada, badge, 'new');
    await set(ada, seat, '12');
    await set(bob, badge, 'bob');
    await set(bob, seat, '1');
    await set(bob, seat, null);
    const values = async () => {
      const found = await attributes.valuesOf(accountId, [ada.id, bob.id]);
      return found.map(({ value }) => value).sort();
    };
    assert.deepEqual(await values(), ['12', 'bob', 'new']);
    await attributes.setValues(accountId, [
      { userId: ada.id, attributeId: seat.id, value: '13' },
      { userId: ada.id, attributeId: badge.id, value: null },
      { userId: bob.id, attributeId: seat.id, value: '2' },
    ]);
    assert.deepEqual(await values(), ['13', '2', 'bob']);
    await set(ada, badge, 'new');
    await set(bob, seat, null);
    await set(ada, seat, '12');
    assert.equal(await failureOf(set({ id: ada.id + 1000 }, badge, 'x')), 'not_found');
    await attributes.remove(accountId, seat.id, now);
    assert.deepEqual(await values(), ['bob', 'new']);
    await users.remove(accountId, ada.id, now);
    assert.deepEqual(await values(), ['bob']);
  });

  test('roles of several users are read at once, in order of assignment', async () => {
    const { roles } = subject.store;
    const { id: accountId } = await newAccount(subject.store);
    const [ada, bob] = [await newUser(subject.store, accountId), await newUser(subject.store, accountId)];
    const one = await roles.create({ accountId, name: 'one', createdAt: now });
    const two = await roles.create({ accountId, name: 'two', createdAt: now });
    await roles.link(accountId, 'users', one.id, [ada.id], now + 1);
    await roles.link(accountId, 'users', two.id, [ada.id], now);
    const found = await roles.idsOfUsers(accountId, [ada.id, bob.id]);
    assert.deepEqual(
      [...found],
      [
        [ada.id, [two.id, one.id]],
        [bob.id, []],
      ],
    );
  });

  test('a removed manager manages nobody', async () => {
    const { users } = subject.store;
    const { id: accountId } = await newAccount(subject.store);
    const [ada, bob] = [await newUser(subject.store, accountId), await newUser(subject.store, accountId)];
    await users.update(accountId, bob.id, { managerUserId: ada.id, title: 'Clerk' });
    assert.equal((await users.findDetailed(accountId, bob.id))?.managerUserId, ada.id);
    assert.equal(await users.remove(accountId, ada.id, now), true);
    const left = await users.findDetailed(accountId, bob.id);
    assert.deepEqual([left?.managerUserId, left?.title, left?.state], [null, 'Clerk', 1]);
  });

  test('a digest is replaced only if it is still the one that was read', async () => {
    const { users } = subject.store;
    const { id: accountId } = await newAccount(subject.store);
    const { id } = await newUser(subject.store, accountId, { passwordDigest: 'a' });
    assert.equal(await users.replaceDigest(accountId, id, 'b', 'c'), false);
    assert.equal(await users.replaceDigest(accountId, id, 'a', 'c'), true);
    assert.equal((await users.find(accountId, id))?.passwordDigest, 'c');
  });
});
