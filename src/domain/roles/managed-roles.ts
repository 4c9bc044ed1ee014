/** Roles as the management API makes and changes them. */

import type { Services } from '../../services.ts';
import type { Milliseconds, RoleRecord } from '../../store/records.ts';
import type { RoleLink, StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import { Failure } from '../failure.ts';
import { type ListPage, type ListQuery, mapPage } from '../listing.ts';
import { readText } from '../text.ts';

/** A role with the ids of what it is linked to, ascending. */
export interface FullRole extends RoleRecord, Readonly<Record<RoleLink, readonly number[]>> {}

/** Undefined members stay as they are; null empties a list. */
export interface RoleInput extends Partial<Readonly<Record<RoleLink, readonly number[] | null | undefined>>> {
  readonly name?: string | undefined;
}

type AccountId = Pick<Account, 'id'>;
type RoleServices = Pick<Services, 'store' | 'clock'>;

const linkNames = ['apps', 'users', 'admins'] as const satisfies readonly RoleLink[];

/** Reads the links of all the roles at once. */
async function completer(
  store: Pick<StoreVerbs, 'roles'>,
  account: AccountId,
  roles: readonly RoleRecord[],
): Promise<(role: RoleRecord) => FullRole> {
  const ids = roles.map(({ id }) => id);
  const apps = await store.roles.linked(account.id, 'apps', ids);
  const users = await store.roles.linked(account.id, 'users', ids);
  const admins = await store.roles.linked(account.id, 'admins', ids);
  const of = (linked: ReadonlyMap<number, readonly number[]>, { id }: RoleRecord) => linked.get(id) ?? [];
  return (role) => ({ ...role, apps: of(apps, role), users: of(users, role), admins: of(admins, role) });
}

/** A page of roles; `query` is as `RoleStore.page` reads it. */
export async function listFullRoles(
  { store }: Pick<Services, 'store'>,
  account: AccountId,
  query: ListQuery,
): Promise<ListPage<FullRole>> {
  const page = await store.roles.page(account.id, query);
  return mapPage(page, await completer(store, account, page.items));
}

/** Throws `not_found`. */
export async function readFullRole(
  { store }: Pick<Services, 'store'>,
  account: AccountId,
  id: number,
): Promise<FullRole> {
  const role = await requireRoleId(store, account, id);
  return (await completer(store, account, [role]))(role);
}

/** The role with this id. Throws `not_found`. */
export async function requireRoleId(
  store: Pick<StoreVerbs, 'roles'>,
  account: AccountId,
  id: number,
): Promise<RoleRecord> {
  const role = await store.roles.find(account.id, id);
  if (!role) throw new Failure('not_found', { name: 'role', message: 'there is no such role' });
  return role;
}

/** Throws `conflict` with name `name`, and `value_invalid` for a bad name and for what names nothing. */
export function createManagedRole(
  { store, clock }: RoleServices,
  account: AccountId,
  input: RoleInput & { readonly name: string },
): Promise<RoleRecord> {
  const name = readText('name', input.name);
  const now = clock.now();
  return store.transaction(async (tx) => {
    const role = await tx.roles.create({ accountId: account.id, name, createdAt: now });
    for (const link of linkNames) await addLinks(tx, account, role.id, link, input[link] ?? [], now);
    return role;
  });
}

/**
 * Changes the members given. Whoever loses an app with its last role loses the grants for it. Throws as
 * `createManagedRole` does, and `not_found`.
 */
export async function updateManagedRole(
  { store, clock }: RoleServices,
  account: AccountId,
  id: number,
  input: RoleInput,
): Promise<void> {
  const name = input.name === undefined ? undefined : readText('name', input.name);
  const now = clock.now();
  await store.transaction(async (tx) => {
    await requireRoleId(tx, account, id);
    if (name !== undefined) await tx.roles.rename(account.id, id, name);
    // Grants that a new app or user may keep must not end in between: all links first.
    const before = await linkedTo(tx, account, id, 'apps');
    let lost = false;
    for (const link of linkNames) {
      const wanted = input[link];
      if (wanted !== undefined) lost = (await setLinks(tx, account, id, link, wanted ?? [], now)) || lost;
    }
    if (lost) await endGrants(tx, account, before, now);
  });
}

/** Removes the role, and the grants for apps that only it had given. Throws `not_found`. */
export async function removeRole({ store, clock }: RoleServices, account: AccountId, id: number): Promise<void> {
  await store.transaction(async (tx) => {
    await requireRoleId(tx, account, id);
    const apps = await linkedTo(tx, account, id, 'apps');
    await tx.roles.remove(account.id, id);
    await endGrants(tx, account, apps, clock.now());
  });
}

/** Idempotent. Throws `not_found`, and `value_invalid` for an id that nobody has. */
export async function addRoleMembers(
  { store, clock }: RoleServices,
  account: AccountId,
  id: number,
  link: 'users' | 'admins',
  userIds: readonly number[],
): Promise<void> {
  await store.transaction(async (tx) => {
    await requireRoleId(tx, account, id);
    await addLinks(tx, account, id, link, userIds, clock.now());
  });
}

/** Removes those who belong to the role, and the grants of those who lose an app by it. Throws `not_found`. */
export async function removeRoleMembers(
  { store, clock }: RoleServices,
  account: AccountId,
  id: number,
  link: 'users' | 'admins',
  userIds: readonly number[],
): Promise<void> {
  await store.transaction(async (tx) => {
    await requireRoleId(tx, account, id);
    const removed = await tx.roles.unlink(account.id, link, id, [...new Set(userIds)]);
    if (removed === 0 || link === 'admins') return;
    await endGrants(tx, account, await linkedTo(tx, account, id, 'apps'), clock.now());
  });
}

async function linkedTo(
  tx: Pick<StoreVerbs, 'roles'>,
  account: AccountId,
  id: number,
  link: RoleLink,
): Promise<readonly number[]> {
  return (await tx.roles.linked(account.id, link, [id])).get(id) ?? [];
}

async function addLinks(
  tx: Pick<StoreVerbs, 'roles'>,
  account: AccountId,
  id: number,
  link: RoleLink,
  ids: readonly number[],
  now: Milliseconds,
): Promise<void> {
  const wanted = [...new Set(ids)];
  const unknown = await tx.roles.findUnknown(account.id, link, wanted);
  if (unknown !== null) {
    const what = link === 'apps' ? 'app' : 'user';
    throw new Failure('value_invalid', { name: link, message: `${link} names no ${what} with ${unknown}` });
  }
  await tx.roles.link(account.id, link, id, wanted, now);
}

/** True when a link that gave something is gone. */
async function setLinks(
  tx: Pick<StoreVerbs, 'roles'>,
  account: AccountId,
  id: number,
  link: RoleLink,
  ids: readonly number[],
  now: Milliseconds,
): Promise<boolean> {
  const wanted = new Set(ids);
  const surplus = (await linkedTo(tx, account, id, link)).filter((one) => !wanted.has(one));
  await addLinks(tx, account, id, link, ids, now);
  return (await tx.roles.unlink(account.id, link, id, surplus)) > 0 && link !== 'admins';
}

/** The grants of users who may not use these apps any more. */
async function endGrants(
  tx: Pick<StoreVerbs, 'grants'>,
  account: AccountId,
  appIds: readonly number[],
  now: Milliseconds,
): Promise<void> {
  for (const appId of appIds) await tx.grants.revokeUnassigned(account.id, appId, now);
}
