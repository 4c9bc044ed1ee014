/** The answer of a user-migration: a user to create, or that it does not know this name and password. */

import { faulty, type InvalidAnswer, isObject, member, wrongKind } from './answers.ts';

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

export function readMigrationAnswer(value: unknown): MigrationAnswer | InvalidAnswer {
  if (value === null) return { says: 'refuse' };
  if (!isObject(value)) return wrongKind('the answer', value);
  const success = member(value, 'success');
  if (success === false) return { says: 'refuse' };
  const user = member(value, 'user');
  if (success !== true) return wrongKind('success', success);
  if (!isObject(user)) return wrongKind('user', user);
  const read: Record<string, string | null> = {};
  for (const [field, name] of Object.entries(texts)) {
    const text = member(user, name) ?? null;
    if (text !== null && typeof text !== 'string') return wrongKind(name, text);
    read[field] = text;
  }
  const password = member(user, 'password');
  const customAttributes = readAttributes(member(user, 'custom_attributes') ?? {});
  if (typeof password !== 'string') return wrongKind('password', password);
  if (password === '') return faulty('password is empty');
  if (customAttributes === null) return faulty('custom_attributes is not an object of texts');
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
