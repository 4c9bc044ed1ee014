import type { UserRecord } from '../../store/records.ts';

/** What a claim can hold of a user; null and an empty text are no value. */
export type AttributeValue = string | number | readonly string[] | null;
export type Attributes = Readonly<Record<string, AttributeValue>>;

const read = {
  id: ({ id }) => String(id),
  email: ({ email }) => email,
  username: ({ username }) => username,
  firstname: ({ firstname }) => firstname,
  lastname: ({ lastname }) => lastname,
} as const satisfies Readonly<Record<string, (user: UserRecord) => AttributeValue>>;

/** The names of a user's roles: not in the user's own row. */
export const rolesAttribute = 'roles';

/** Every attribute that a claim may name. */
export const attributeNames: readonly string[] = [...Object.keys(read), rolesAttribute];

/** The attributes of a user by name; `more` adds those that are kept elsewhere. */
export function attributesOf(user: UserRecord, more: Attributes = {}): Attributes {
  const own = Object.entries(read).map(([name, value]) => [name, value(user)] as const);
  return { ...more, ...Object.fromEntries(own) };
}
