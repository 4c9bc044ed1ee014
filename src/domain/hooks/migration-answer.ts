/** The answer of a user-migration: a user to create, or that it does not know this name and password. */

import { isObject, member } from './answers.ts';

/** The data of a migrated user; other members of the answer are ignored. */
export interface MigratedUser {
  readonly email: string | null;
  readonly username: string | null;
  readonly password: string;
  readonly firstname: string | null;
  readonly lastname: string | null;
  readonly externalId: string | null;
  readonly department: string | null;
  readonly title: string | null;
  readonly phone: string | null;
  readonly company: string | null;
  readonly customAttributes: Readonly<Record<string, string | null>>;
}

export type MigrationAnswer = { readonly says: 'migrate'; readonly user: MigratedUser } | { readonly says: 'refuse' };

const texts = {
  email: 'email',
  username: 'username',
  firstname: 'firstname',
  lastname: 'lastname',
  externalId: 'external_id',
  department: 'department',
  title: 'title',
  phone: 'phone',
  company: 'company',
} as const;

/** Every member of a user that is read. */
export const migratedMembers: readonly string[] = [...Object.values(texts), 'password', 'custom_attributes'];

/** Null when the answer is meaningless. */
export function readMigrationAnswer(value: unknown): MigrationAnswer | null {
  if (value === null) return { says: 'refuse' };
  if (!isObject(value)) return null;
  const success = member(value, 'success');
  if (success === false) return { says: 'refuse' };
  const user = member(value, 'user');
  if (success !== true || !isObject(user)) return null;
  const read: Record<string, string | null> = {};
  for (const [field, name] of Object.entries(texts)) {
    const text = member(user, name) ?? null;
    if (text !== null && typeof text !== 'string') return null;
    read[field] = text;
  }
  const password = member(user, 'password');
  const customAttributes = readAttributes(member(user, 'custom_attributes') ?? {});
  if (typeof password !== 'string' || password === '' || customAttributes === null) return null;
  // Every member of `texts` was read above.
  return {
    says: 'migrate',
    user: { ...(read as Record<keyof typeof texts, string | null>), password, customAttributes },
  };
}

function readAttributes(value: unknown): Readonly<Record<string, string | null>> | null {
  if (!isObject(value)) return null;
  const entries = Object.entries(value);
  const all = entries.every(([, text]) => text === null || typeof text === 'string');
  return all ? (Object.fromEntries(entries) as Record<string, string | null>) : null;
}
