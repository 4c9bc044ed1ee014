/** A user's names: those for display and the two for signing in. */

import type { UserKeys, UserRecord } from '../../store/users.ts';
import { Failure } from '../failure.ts';
import { type Identifier, readEmail, readUsername } from './identifiers.ts';

/** First and last name, if there are any. */
export function fullName({ firstname, lastname }: Pick<UserRecord, 'firstname' | 'lastname'>): string {
  return [firstname, lastname].filter(Boolean).join(' ');
}

/** Whether the present address was shown to be the user's. */
export function isEmailVerified({ email, verifiedEmail }: Pick<UserRecord, 'email' | 'verifiedEmail'>): boolean {
  return email !== null && email === verifiedEmail;
}

export type Names = Pick<UserRecord, 'email' | 'username'> & UserKeys;

/** Both sign-in names as stored, when one of them changes. */
export function changedNames(
  user: UserRecord,
  { email, username }: Partial<Pick<UserRecord, 'email' | 'username'>>,
): Partial<Names> {
  if (email === undefined && username === undefined) return {};
  return readNames(email === undefined ? user.email : email, username === undefined ? user.username : username);
}

/** A user has an e-mail address, a user name or both; a user name with an `@` must be the user's own address. */
export function readNames(email: string | null, username: string | null): Names {
  const address = email === null ? null : readEmail(email);
  const name = username === null ? null : readOwnName(username, address);
  if (!address && !name) {
    throw new Failure('value_invalid', { name: 'email', message: 'a user needs an email or a username' });
  }
  return {
    email: address?.text ?? null,
    emailKey: address?.key ?? null,
    username: name?.text ?? null,
    usernameKey: name?.key ?? null,
  };
}

function readOwnName(username: string, email: Identifier | null): Identifier {
  const name = readUsername(username);
  if (name.key.includes('@') && name.key !== email?.key) {
    const message = "a username with an @ must be the user's own email";
    throw new Failure('value_invalid', { name: 'username', message });
  }
  return name;
}
