import type { StoreVerbs } from '../../store/store.ts';
import type { DetailedUser, TokenUser } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { type FullUser, readFullUser } from './full-user.ts';

/** The value of a claim about a user; null, an empty text and an empty list count as no value. */
export type AttributeValue = string | number | readonly string[] | null;
export type Attributes = Readonly<Record<string, AttributeValue>>;

type Readers<User> = Readonly<Record<string, (user: User) => AttributeValue>>;

/** Attributes in the row that every token is made from. */
const own: Readers<TokenUser> = {
  id: ({ id }) => String(id),
  email: ({ email }) => email,
  username: ({ username }) => username,
  firstname: ({ firstname }) => firstname,
  lastname: ({ lastname }) => lastname,
};

/** Texts stored elsewhere. */
export const detailedTexts = {
  title: ({ title }) => title,
  department: ({ department }) => department,
  company: ({ company }) => company,
  phone: ({ phone }) => phone,
  external_id: ({ externalId }) => externalId,
  preferred_locale_code: ({ preferredLocaleCode }) => preferredLocaleCode,
} as const satisfies Readonly<Record<string, (user: DetailedUser) => string | null>>;

/** All attributes stored elsewhere. */
const detailed: Readers<DetailedUser> = {
  ...detailedTexts,
  group_id: ({ groupId }) => groupId,
  manager_user_id: ({ managerUserId }) => managerUserId,
};

const roles = 'roles';

/**
 * The prefix of a custom attribute's short name, as in list filters; without it a built-in attribute takes precedence.
 */
const customPrefix = 'custom_attributes.';

/** Whether the name without the prefix is one of every user. */
export function isBuiltIn(name: string): boolean {
  return Object.hasOwn(own, name) || Object.hasOwn(detailed, name) || name === roles;
}

type Verbs = Pick<StoreVerbs, 'users' | 'roles' | 'attributes'>;

/** Every attribute that a claim of this account may name. */
export async function claimableAttributes(
  { attributes }: Pick<StoreVerbs, 'attributes'>,
  account: Pick<Account, 'id'>,
): Promise<ReadonlySet<string>> {
  const custom = (await attributes.list(account.id)).map(({ shortname }) => shortname);
  const prefixed = custom.map((shortname) => customPrefix + shortname);
  return new Set([...Object.keys(own), ...Object.keys(detailed), roles, ...custom, ...prefixed]);
}

/**
 * A user's values by name, at least those of `names`. Queries the store for those that the user's own row does not
 * hold.
 */
export async function readAttributes(store: Verbs, user: TokenUser, names: ReadonlySet<string>): Promise<Attributes> {
  if ([...names].every((name) => Object.hasOwn(own, name))) return apply(own, user);
  const full = await readFullUser(store, { id: user.accountId }, user.id);
  const held = names.has(roles) ? (await store.roles.ofUser(user.accountId, user.id)).map(({ name }) => name) : [];
  return attributesOf(full, held);
}

/** All values of a user by name. */
function attributesOf(user: FullUser, roleNames: readonly string[]): Attributes {
  const custom = Object.entries(user.customAttributes);
  const prefixed = custom.map(([shortname, value]) => [customPrefix + shortname, value] as const);
  return {
    ...Object.fromEntries([...custom, ...prefixed]),
    ...apply(own, user),
    ...apply(detailed, user),
    [roles]: roleNames,
  };
}

function apply<User>(readers: Readers<User>, user: User): Attributes {
  return Object.fromEntries(Object.entries(readers).map(([name, read]) => [name, read(user)]));
}
