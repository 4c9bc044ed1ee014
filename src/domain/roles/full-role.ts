/** Roles by id or name, and as the management API shows them. */

import type { Services } from '../../services.ts';
import type { RoleLink, RoleRecord } from '../../store/roles.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import { Failure } from '../failure.ts';
import { type ListPage, type ListQuery, mapPage } from '../listing.ts';
import { composed, longestText } from '../text.ts';

/** A role with the ids of what it is linked to, ascending. */
export interface FullRole extends RoleRecord, Readonly<Record<RoleLink, readonly number[]>> {}

type AccountId = Pick<Account, 'id'>;

/** Loads the links of all the roles at once. */
async function completer(
  store: Pick<StoreVerbs, 'roles'>,
  account: AccountId,
  roles: readonly RoleRecord[],
  isAsked: (link: RoleLink) => boolean = () => true,
): Promise<(role: RoleRecord) => FullRole> {
  const ids = roles.map(({ id }) => id);
  const read = async (link: RoleLink) => store.roles.linked(account.id, link, isAsked(link) ? ids : []);
  const [apps, users, admins] = [await read('apps'), await read('users'), await read('admins')];
  const of = (linked: ReadonlyMap<number, readonly number[]>, { id }: RoleRecord) => linked.get(id) ?? [];
  return (role) => ({ ...role, apps: of(apps, role), users: of(users, role), admins: of(admins, role) });
}

/** A page of roles. For `query` see `RoleStore.page`; links that are not asked for are empty. */
export async function listFullRoles(
  { store }: Pick<Services, 'store'>,
  account: AccountId,
  query: ListQuery,
  isAsked?: (link: RoleLink) => boolean,
): Promise<ListPage<FullRole>> {
  const page = await store.roles.page(account.id, query);
  return mapPage(page, await completer(store, account, page.items, isAsked));
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
  if (!role) throw unknownRole();
  return role;
}

export function unknownRole(): Failure {
  return new Failure('not_found', { name: 'role', message: 'there is no such role' });
}

/** The role of this name; throws `not_found`. */
export async function requireRole(
  store: Pick<StoreVerbs, 'roles'>,
  account: AccountId,
  name: string,
): Promise<RoleRecord> {
  const key = composed(name, longestText);
  const role = key === null ? null : await store.roles.findByName(account.id, key);
  if (!role) throw new Failure('not_found', { name: 'role', message: `there is no role ${name}` });
  return role;
}

/** The ids of the roles with these names; throws `not_found` for the first unknown name. */
export async function requireRoleIds(
  store: Pick<StoreVerbs, 'roles'>,
  account: AccountId,
  names: readonly string[],
): Promise<number[]> {
  const ids: number[] = [];
  for (const name of names) ids.push((await requireRole(store, account, name)).id);
  return ids;
}
