/** A person in a file: which members there are, and how they become the input of a user. */

import type { UserStatus } from '../../../store/users.ts';
import { Failure } from '../../failure.ts';
import { importDigest } from '../imported-passwords.ts';
import { plainTexts, type UserInput } from '../user-input.ts';
import { userStatusNames } from '../user-status.ts';

/** A person as JSON has it, not checked yet. */
interface PersonRow {
  readonly line: number;
  readonly members: Readonly<Record<string, unknown>>;
}

/** A line that is no person at all. */
interface BrokenRow {
  readonly line: number;
  readonly fault: string;
}

export type FileRow = PersonRow | BrokenRow;

/** The members that are texts and that an export writes, by their name in a file. */
export const shownTexts = {
  email: 'email',
  username: 'username',
  ...plainTexts,
  comment: 'comment',
  external_id: 'externalId',
  preferred_locale_code: 'preferredLocaleCode',
} as const satisfies Record<string, keyof UserInput>;

const secretTexts = {
  password_hash: 'password',
  password_algorithm: 'passwordAlgorithm',
  password_salt: 'salt',
} as const satisfies Record<string, keyof UserInput>;

/** Whether only an import has the member. */
export function isSecretMember(name: string): boolean {
  return Object.hasOwn(secretTexts, name);
}

const texts: Readonly<Record<string, keyof UserInput>> = { ...shownTexts, ...secretTexts };
const others = ['email_verified', 'status', 'roles', 'custom_attributes'];

/** What is wrong with a whole file, not with one person. */
export function broken(message: string): Failure {
  return new Failure('value_invalid', { name: 'file', message });
}

/** Of the column of a custom attribute, before its short name. */
export const attributePrefix = 'custom_attributes.';

/** Every member that a file may have. */
export const personMembers: readonly string[] = [...Object.keys(texts), ...others];

const statuses = new Map(Object.entries(userStatusNames).map(([number, name]) => [name, Number(number) as UserStatus]));

/** Members that are not given stay as they are, or are empty for a new user; null clears. */
export interface Person {
  readonly input: Omit<UserInput, 'roleIds' | 'validatePolicy' | 'authority'>;
  readonly roles: readonly string[] | undefined;
}

function invalid(name: string, message: string): Failure {
  return new Failure('value_invalid', { name, message });
}

function readTexts(members: PersonRow['members']): Record<string, string | null> {
  const read: Record<string, string | null> = {};
  for (const [name, value] of Object.entries(members)) {
    const member = Object.hasOwn(texts, name) ? texts[name] : undefined;
    if (member === undefined) {
      if (others.includes(name)) continue;
      const shown = name === '' ? 'a member without a name' : name.slice(0, 64);
      throw invalid(name, `${shown} is unknown; members are ${personMembers.join(', ')}`);
    }
    if (value !== null && typeof value !== 'string') throw invalid(name, `${name} must be a text or null`);
    read[member] = value;
  }
  return read;
}

/** In CSV every value is a text. */
function readVerified(value: unknown): boolean | undefined {
  if (value === undefined) return undefined;
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  throw invalid('email_verified', 'email_verified must be true or false');
}

function readStatus(status: unknown): UserStatus | undefined {
  if (status === undefined) return undefined;
  const known = [...statuses.keys()] as readonly unknown[];
  const number = known.includes(status) ? statuses.get(status as never) : undefined;
  if (number === undefined) throw invalid('status', `status must be one of ${known.join(', ')}`);
  return number;
}

function readRoles(roles: unknown): readonly string[] | undefined {
  if (roles === undefined) return undefined;
  if (Array.isArray(roles) && roles.every((role) => typeof role === 'string')) return roles;
  throw invalid('roles', 'roles must be a list of names');
}

function readAttributes(values: unknown): UserInput['customAttributes'] {
  if (values === undefined) return undefined;
  const isObject = typeof values === 'object' && values !== null && !Array.isArray(values);
  if (isObject && Object.values(values).every((value) => value === null || typeof value === 'string')) {
    return values as Record<string, string | null>;
  }
  throw invalid('custom_attributes', 'custom_attributes must be an object of short names, each with a text or null');
}

/** Throws `value_invalid` for an unknown member, one of another type, and a password that is not a known hash. */
export function readPerson(members: PersonRow['members']): Person {
  const { email_verified: verified, status, roles, custom_attributes: attributes } = members;
  const input = readTexts(members);
  if (input['password'] && !input['passwordAlgorithm']) {
    throw invalid('password_algorithm', 'password_hash needs a password_algorithm: passwords are imported as hashes');
  }
  if (input['passwordAlgorithm'] && !input['password']) {
    throw invalid('password_hash', 'password_algorithm needs a password_hash');
  }
  if (input['password'] && input['passwordAlgorithm']) {
    // Tried here under the name that a file has for it.
    importDigest(input['passwordAlgorithm'], input['salt'] ?? '', input['password'], 'password_hash');
  }
  return {
    input: {
      ...input,
      emailVerified: readVerified(verified),
      status: readStatus(status),
      customAttributes: readAttributes(attributes),
    },
    roles: readRoles(roles),
  };
}
