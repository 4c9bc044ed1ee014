/** The members of a role: users who have it, and users who administer it. */

import type { Services } from '../../services.ts';
import type { Milliseconds } from '../../store/time.ts';
import type { DetailedUser } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { type ListFilter, type ListPage, type ListQuery, mapPage, matching } from '../listing.ts';
import { foldIdentifier } from '../users/identifiers.ts';
import { requireRoleId } from './full-role.ts';

export interface RoleMember {
  readonly user: DetailedUser;
  /** Null for a user who is not a member. */
  readonly addedAt: Milliseconds | null;
}

/** The filter of a list of members. */
export interface MemberFilter {
  /** First, last or full name, user name or address, with `*` at either end. */
  readonly name?: string | undefined;
  readonly includeUnassigned: boolean;
  readonly assigned?: boolean | undefined;
}

const fields = {
  users: { within: 'role', without: 'other_role' },
  admins: { within: 'administered_role', without: 'other_administered_role' },
} as const;

/** A page of the members of a role. Throws `not_found`. */
export async function listRoleMembers(
  { store }: Pick<Services, 'store'>,
  account: Pick<Account, 'id'>,
  roleId: number,
  link: keyof typeof fields,
  query: ListQuery,
  asked: MemberFilter,
): Promise<ListPage<RoleMember>> {
  await requireRoleId(store, account, roleId);
  const filters = [...query.filters, ...membership(roleId, link, asked), ...named(asked.name)];
  const page = await store.users.page(account.id, { ...query, filters });
  const ids = page.items.map(({ id }) => id);
  const times = await store.roles.linkedAt(account.id, link, roleId, ids);
  return mapPage(page, (user) => ({ user, addedAt: times.get(user.id) ?? null }));
}

function membership(
  roleId: number,
  link: keyof typeof fields,
  { includeUnassigned, assigned }: MemberFilter,
): ListFilter[] {
  const { within, without } = fields[link];
  const members: ListFilter = { field: within, test: 'in', values: [roleId] };
  if (!includeUnassigned) return assigned === false ? [{ field: 'id', test: 'is', values: [0] }] : [members];
  if (assigned === undefined) return [];
  return [assigned ? members : { field: without, test: 'is', values: [roleId] }];
}

function named(text: string | undefined): ListFilter[] {
  if (text === undefined) return [];
  const filter = matching('person', text);
  const typed = String(filter.values[0]);
  if (typed === '') return [];
  return [{ ...filter, values: [typed, foldIdentifier(typed) ?? typed] }];
}
