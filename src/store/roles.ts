import type { ListPage, ListQuery } from './listing.ts';
import type { Following, New } from './row.ts';
import type { Milliseconds } from './time.ts';

export interface RoleRecord {
  readonly accountId: number;
  readonly id: number;
  readonly name: string;
  /** The policy of users with the role; null: none. */
  readonly policyId: number | null;
  readonly createdAt: Milliseconds;
}

/** The links of roles: the apps they give, the users who have them, and administrators, who get nothing. */
export type RoleLink = 'apps' | 'users' | 'admins';

export interface RoleStore {
  /** Throws `conflict` with name `name`. */
  create(role: Following<New<RoleRecord>>): Promise<RoleRecord>;
  find(accountId: number, id: number): Promise<RoleRecord | null>;
  /** Whether there is such a role; nobody else can change or remove it until the end of the transaction. */
  lock(accountId: number, id: number): Promise<boolean>;
  findByName(accountId: number, name: string): Promise<RoleRecord | null>;
  /** Names by id; roles that do not exist are left out. */
  namesOf(accountId: number, ids: readonly number[]): Promise<ReadonlyMap<number, string>>;
  /** Role ids of each of these users, in order of assignment. */
  idsOfUsers(accountId: number, userIds: readonly number[]): Promise<ReadonlyMap<number, readonly number[]>>;
  /** Roles of a user, in order of assignment. */
  ofUser(accountId: number, userId: number): Promise<RoleRecord[]>;
  /** Fields: `id`, `name`; `app` by `in`; `app_name`. */
  page(accountId: number, query: ListQuery): Promise<ListPage<RoleRecord>>;
  /** Throws `conflict` as `create` does; null when there is no such role. */
  rename(accountId: number, id: number, name: string): Promise<RoleRecord | null>;
  /**
   * Removes the role with all its links, as `UserStore.remove` does, and ends what users have of apps that only the
   * role gave. Returns how many grants were revoked so far, null when there is no such role.
   */
  remove(accountId: number, id: number, at: Milliseconds): Promise<number | null>;
  /** What each of these roles is linked to, ascending. */
  linked(
    accountId: number,
    link: RoleLink,
    roleIds: readonly number[],
  ): Promise<ReadonlyMap<number, readonly number[]>>;
  /** Since when those of these users are linked to the role who are. */
  linkedAt(
    accountId: number,
    link: 'users' | 'admins',
    roleId: number,
    userIds: readonly number[],
  ): Promise<ReadonlyMap<number, Milliseconds>>;
  /** Answers those that were not linked before, ascending. Throws `not_found` for a role or an id that nothing has. */
  link(
    accountId: number,
    link: RoleLink,
    roleId: number,
    ids: readonly number[],
    at: Milliseconds,
  ): Promise<readonly number[]>;
  /** Gives a user roles, and answers those that the user did not have, ascending. Throws as `link` does. */
  assign(accountId: number, userId: number, roleIds: readonly number[], at: Milliseconds): Promise<readonly number[]>;
  /** Has a user who has the role have it since another time, which is its place among the user's roles. */
  move(accountId: number, roleId: number, userId: number, at: Milliseconds): Promise<void>;
  /** Answers those that were linked, ascending. */
  unlink(accountId: number, link: RoleLink, roleId: number, ids: readonly number[]): Promise<readonly number[]>;
  /** Takes roles from a user, and answers those that the user had, ascending. */
  withdraw(accountId: number, userId: number, roleIds: readonly number[]): Promise<readonly number[]>;
  /** The first of these ids that no such role, app or user has; null when all are known. */
  findUnknown(accountId: number, kind: RoleLink | 'roles', ids: readonly number[]): Promise<number | null>;
}
