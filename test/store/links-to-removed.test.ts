/** Removed objects with rows left cannot be linked any more, even by callers that found them before. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoreVerbs } from '../../src/store/store.ts';
import { whileUncommitted } from '../support/locks.ts';
import { execute } from '../support/rows.ts';
import { clearAll, count, fillGrants, fillUsers, many } from './filled.ts';
import { type Cast, failureOf, newCast, newClient, newUser, now, unique } from './samples.ts';
import { onEachDatabase, type Subject } from './suite.ts';

interface Scene extends Cast {
  readonly roleId: number;
  readonly attributeId: number;
  readonly serverId: number;
  /** Nothing hangs on these. */
  readonly otherUser: number;
  readonly otherApp: number;
}

/** On each of them hangs more than its removal clears. */
async function newScene(subject: Subject): Promise<Scene> {
  const { store, url } = subject;
  const cast = await newCast(store);
  const { accountId } = cast;
  const role = await store.roles.create({ accountId, name: 'staff', createdAt: now });
  const given = { accountId, name: 'Badge', shortname: 'badge', createdAt: now };
  const attribute = await store.attributes.create(given);
  await store.roles.link(accountId, 'users', role.id, await fillUsers(subject, accountId), now);
  const values = `select account_id, id, ${attribute.id}, 'a' from users where account_id = ${accountId}`;
  await execute(url, `insert into user_attributes (account_id, user_id, attribute_id, value) ${values}`);
  await fillGrants(subject, cast);
  const server = await store.authorizationServers.create({
    accountId,
    name: 'Orders',
    description: null,
    resourceIdentifier: `https://api.example.com/${unique()}`,
    audiences: ['orders'],
    accessTokenMinutes: null,
    refreshTokenMinutes: 30,
    clientAccess: 'linked',
    resourceMetadata: false,
    createdAt: now,
    updatedAt: now,
  });
  return {
    ...cast,
    roleId: role.id,
    attributeId: attribute.id,
    serverId: server.id,
    otherUser: (await newUser(store, accountId)).id,
    otherApp: (await newClient(store, accountId)).appId,
  };
}

type Do = (tx: StoreVerbs, scene: Scene) => Promise<unknown>;

const removeUser: Do = (tx, { accountId, userId }) => tx.users.remove(accountId, userId, now);
const removeRole: Do = (tx, { accountId, roleId }) => tx.roles.remove(accountId, roleId, now);
const removeApp: Do = (tx, { accountId, appId }) => tx.clients.remove(accountId, appId, now);
const removeAttribute: Do = (tx, { accountId, attributeId }) => tx.attributes.remove(accountId, attributeId, now);

const links: readonly (readonly [what: string, remove: Do, link: Do])[] = [
  [
    'a removed user as a member',
    removeUser,
    (tx, { accountId, roleId, userId }) => tx.roles.link(accountId, 'users', roleId, [userId], now),
  ],
  [
    'a removed user as an administrator',
    removeUser,
    (tx, { accountId, roleId, userId }) => tx.roles.link(accountId, 'admins', roleId, [userId], now),
  ],
  [
    'a removed app with a role',
    removeApp,
    (tx, { accountId, roleId, appId }) => tx.roles.link(accountId, 'apps', roleId, [appId], now),
  ],
  [
    'a user with a removed role',
    removeRole,
    (tx, { accountId, roleId, otherUser }) => tx.roles.link(accountId, 'users', roleId, [otherUser], now),
  ],
  [
    'a role given to a removed user',
    removeUser,
    (tx, { accountId, roleId, userId }) => tx.roles.assign(accountId, userId, [roleId], now),
  ],
  [
    'a removed role given to a user',
    removeRole,
    (tx, { accountId, roleId, otherUser }) => tx.roles.assign(accountId, otherUser, [roleId], now),
  ],
  [
    'a removed app with a user',
    removeApp,
    (tx, { accountId, appId, otherUser }) => tx.access.grant(accountId, appId, { userId: otherUser }, now),
  ],
  [
    'an app with a removed user',
    removeUser,
    (tx, { accountId, otherApp, userId }) => tx.access.grant(accountId, otherApp, { userId }, now),
  ],
  [
    'an app with a removed role',
    removeRole,
    (tx, { accountId, otherApp, roleId }) => tx.access.grant(accountId, otherApp, { roleId }, now),
  ],
  [
    'a value with a removed user',
    removeUser,
    (tx, { accountId, userId, attributeId }) =>
      tx.attributes.setValues(accountId, [{ userId, attributeId, value: 'b' }]),
  ],
  [
    'a value with a removed attribute',
    removeAttribute,
    (tx, { accountId, otherUser, attributeId }) =>
      tx.attributes.setValues(accountId, [{ userId: otherUser, attributeId, value: 'b' }]),
  ],
  [
    'a removed app with a server',
    removeApp,
    (tx, { accountId, serverId, appId }) =>
      tx.authorizationServers.link({ accountId, serverId, appId, scopeIds: [], linkedAt: now }),
  ],
];

onEachDatabase('links to what is removed', (subject) => {
  for (const [what, remove, link] of links) {
    test(`${what} is not linked`, async () => {
      const { store } = subject;
      const scene = await newScene(subject);
      const failure = await whileUncommitted(
        subject,
        (tx) => remove(tx, scene),
        () => failureOf(store.transaction((tx) => link(tx, scene))),
      );
      assert.equal(failure, 'not_found');
      assert.ok((await store.findWaitingRemovals()).count > 0);
      await clearAll(subject);
    });
  }

  test('a role that is removed meanwhile cannot be locked', async () => {
    const { store } = subject;
    const { accountId, roleId } = await newScene(subject);
    const locked = await whileUncommitted(
      subject,
      (tx) => tx.roles.remove(accountId, roleId, now),
      () => store.transaction((tx) => tx.roles.lock(accountId, roleId)),
    );
    assert.equal(locked, false);
    await clearAll(subject);
  });

  const changes: readonly (readonly [what: string, remove: Do, change: Do])[] = [
    ['an app', removeApp, (tx, { accountId, appId }) => tx.clients.update(accountId, appId, { name: 'again' })],
    ['the secret of an app', removeApp, (tx, { accountId, appId }) => tx.clients.replaceSecret(accountId, appId, 'a')],
    [
      'an attribute',
      removeAttribute,
      (tx, { accountId, attributeId }) => tx.attributes.update(accountId, attributeId, { shortname: 'again' }),
    ],
    [
      'the policy of a user',
      removeUser,
      async (tx, { accountId, userId }) => {
        const [policy] = await tx.policies.list(accountId);
        return tx.policies.assign(accountId, { userId }, policy?.id ?? 0);
      },
    ],
  ];
  for (const [what, remove, change] of changes) {
    test(`${what} is not changed while it is removed`, async () => {
      const { store } = subject;
      const scene = await newScene(subject);
      const changed = await whileUncommitted(
        subject,
        (tx) => remove(tx, scene),
        () => store.transaction((tx) => change(tx, scene)),
      );
      assert.ok(changed === null || changed === false);
      await clearAll(subject);
    });
  }

  test('links to others are created, also for many users at once', async () => {
    const { store } = subject;
    const { accountId } = await newCast(store);
    const role = await store.roles.create({ accountId, name: unique('role'), createdAt: now });
    const users = await fillUsers(subject, accountId);
    assert.deepEqual(await store.roles.link(accountId, 'users', role.id, users, now), users);
    assert.equal(await count(subject, `role_users where role_id = ${role.id}`), many);
  });
});
