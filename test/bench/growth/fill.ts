/** Fills an account by the functions that serve its administrators and users. */

import type { Account } from '../../../src/domain/accounts/account.ts';
import { createApp } from '../../../src/domain/clients/managed-apps.ts';
import { startGrant } from '../../../src/domain/opening/openers/grant.ts';
import { addRoleMembers, createRole } from '../../../src/domain/roles/write-role.ts';
import { grantAccess } from '../../../src/domain/users/access.ts';
import { createCustomAttribute } from '../../../src/domain/users/custom-attributes.ts';
import { createUser } from '../../../src/domain/users/write-user.ts';
import type { Services } from '../../../src/services.ts';
import type { ClientRecord } from '../../../src/store/clients.ts';
import { termsOf } from '../seeding.ts';
import { makeMany } from './batches.ts';
import type { Sizes } from './sizes.ts';

/** What most hangs on, each by its id, and a sample of what is like all others. */
export interface Filled {
  readonly userIds: readonly number[];
  readonly appIds: readonly number[];
  readonly roleIds: readonly number[];
  /** Every user may use it: the members of the large role by that, the others by themselves. */
  readonly largeApp: number;
  readonly largeRole: number;
  /** It is linked to every app. */
  readonly wideRole: number;
  /** Every app is assigned to this user directly. */
  readonly wideUser: number;
  /** Every user has a value of it. */
  readonly attribute: number;
}

/** Users in a call that adds members to a role. */
const membersAtOnce = 5_000;
const appsOfRole = 5;
const usersOfRole = 100;
const usersOfDepartment = 10;

export const emailOf = (number: number): string => `user${number}@example.com`;

/** A user who never had a password. */
export async function makeUser(services: Services, account: Account, number: number, more = {}): Promise<number> {
  const { id } = await createUser(services, account, {
    email: emailOf(number),
    firstname: 'Ada',
    lastname: `Lovelace ${number}`,
    department: `department ${Math.floor(number / usersOfDepartment)}`,
    status: 1,
    validatePolicy: true,
    authority: 'all',
    ...more,
  });
  return id;
}

export function makeApp(services: Services, account: Account, name: string): ReturnType<typeof createApp> {
  return createApp(services, account, { name, redirectUri: 'https://app.example.com/callback' });
}

/** A grant as a sign-in leaves it, with its first tokens; answers the refresh token. */
export async function giveGrant(
  services: Services,
  account: Account,
  client: ClientRecord,
  userId: number,
): Promise<string> {
  const terms = termsOf(services, userId);
  const { refreshToken } = await services.store.transaction((tx) =>
    startGrant(services, tx, account, client, terms, null, 'authorization_code'),
  );
  if (refreshToken === null) throw new Error(`${client.clientId} gets no refresh tokens`);
  return refreshToken;
}

async function addMembers(services: Services, account: Account, role: number, ids: readonly number[]): Promise<void> {
  for (let from = 0; from < ids.length; from += membersAtOnce) {
    await addRoleMembers(services, account, role, 'users', ids.slice(from, from + membersAtOnce));
  }
}

/** Up to a thousand, evenly spread. */
function sampleOf(ids: readonly number[]): number[] {
  const step = Math.max(1, Math.floor(ids.length / 1_000));
  return ids.filter((_, index) => index % step === 0).slice(0, 1_000);
}

/** `count` of them in their order, from a place that may be beyond the end. */
function spread<Item>(items: readonly Item[], from: number, count: number): Item[] {
  return Array.from({ length: Math.min(count, items.length) }, (_, index) => {
    return items[(from + index) % items.length] as Item;
  });
}

type Tell = (step: string) => void;

/** Ordinary roles, one that many users have, and one that gives every app. */
async function fillRoles(
  services: Services,
  account: Account,
  sizes: Sizes,
  ids: { readonly users: readonly number[]; readonly apps: readonly number[]; readonly largeApp: number },
): Promise<Pick<Filled, 'roleIds' | 'largeRole' | 'wideRole'>> {
  const { users, apps, largeApp } = ids;
  const make = async (joined: Services, input: Parameters<typeof createRole>[2]) =>
    (await createRole(joined, account, input)).id;
  const roleIds = await makeMany(services, sizes.roles, (joined, number) =>
    make(joined, {
      name: `Role ${number}`,
      apps: spread(apps, number * appsOfRole, appsOfRole),
      users: spread(users, number * usersOfRole, usersOfRole),
    }),
  );
  const largeRole = await make(services, { name: 'Large', apps: [...apps.slice(0, appsOfRole), largeApp] });
  await addMembers(services, account, largeRole, users.slice(0, sizes.membersOfLargeRole));
  const wideRole = await make(services, { name: 'Wide', apps, users: users.slice(0, 1) });
  return { roleIds, largeRole, wideRole };
}

/** Gives one user every app, and the large app to all who do not have it by the large role; answers how often. */
async function assignApps(
  services: Services,
  account: Account,
  sizes: Sizes,
  ids: { readonly apps: readonly number[]; readonly largeApp: number; readonly wideUser: string },
): Promise<number> {
  await makeMany(services, ids.apps.length, (joined, number) =>
    grantAccess(joined, account, ids.apps[number] as number, { user: ids.wideUser }),
  );
  const others = sizes.users - sizes.membersOfLargeRole;
  await makeMany(services, others, (joined, number) =>
    grantAccess(joined, account, ids.largeApp, { user: emailOf(sizes.membersOfLargeRole + number) }),
  );
  return ids.apps.length + others;
}

/** Calls `tell` after each step. */
export async function fillAccount(services: Services, account: Account, sizes: Sizes, tell: Tell): Promise<Filled> {
  const attribute = await createCustomAttribute(services, account, { name: 'Badge', shortname: 'badge' });
  const users = await makeMany(services, sizes.users, (joined, number) =>
    makeUser(joined, account, number, { customAttributes: { badge: `badge ${number}` } }),
  );
  tell(`${users.length} users`);
  const clients = await makeMany(services, sizes.apps, async (joined, number) => {
    return (await makeApp(joined, account, `App ${number}`)).app;
  });
  const { app: large } = await makeApp(services, account, 'Large App');
  const [apps, largeApp] = [clients.map(({ appId }) => appId), large.appId];
  tell(`${apps.length} apps`);
  const roles = await fillRoles(services, account, sizes, { users, apps, largeApp });
  tell(`${roles.roleIds.length} roles`);
  const wideUser = await makeUser(services, account, sizes.users);
  const assigned = await assignApps(services, account, sizes, { apps, largeApp, wideUser: emailOf(sizes.users) });
  tell(`${assigned} assignments`);
  await makeMany(services, sizes.grants, (joined, number) => {
    const client = number < sizes.grantsOfLargeApp ? large : (clients[number % clients.length] as ClientRecord);
    return giveGrant(joined, account, client, users[number % users.length] as number);
  });
  tell(`${sizes.grants} grants`);
  const ids = { userIds: sampleOf(users), appIds: sampleOf(apps), largeApp, wideUser, attribute: attribute.id };
  return { ...ids, ...roles };
}
