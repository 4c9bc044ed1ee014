/** What a new password must be: NIST SP 800-63B §3.1.1.2, length and a blocklist, no rules on its composition. */

import type { PolicyRecord } from '../../store/policies.ts';
import type { UserRecord } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { isCommonPassword } from './common-passwords.ts';

/** Of any password. */
export const mostCharacters = 256;
/** So many must be left of a password when the names of its owner are taken out. */
const ownCharacters = 8;

/** Whose password it is: the words that everybody knows about them count for nothing in it. */
export interface PasswordOwner {
  readonly account: Pick<Account, 'subdomain' | 'name'>;
  readonly user: Pick<UserRecord, 'email' | 'username' | 'firstname' | 'lastname'>;
}

/**
 * Which rule a password breaks, in words that follow "the password", or null when it breaks none. Length counts
 * characters (code points); the rest is compared as a sign-in compares (NFKC), without case.
 */
export function findWeakness(
  password: string,
  { minimumPasswordLength }: Pick<PolicyRecord, 'minimumPasswordLength'>,
  owner: PasswordOwner,
): string | null {
  const length = [...password].length;
  if (length < minimumPasswordLength || length > mostCharacters || !password.isWellFormed()) {
    return `must have ${minimumPasswordLength} to ${mostCharacters} characters`;
  }
  const folded = fold(password);
  if (isCommonPassword(folded) || isCommonPassword(folded.trim())) {
    return 'is one of the most common ones, which are guessed first';
  }
  if (isMadeOfNames(folded, owner)) {
    return `has fewer than ${ownCharacters} characters that are not from its owner's names or address, or the service's name`;
  }
  return null;
}

/** Upper case first: it unfolds letters that lower case leaves apart. */
function fold(text: string): string {
  return text.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC');
}

function isMadeOfNames(folded: string, { account, user }: PasswordOwner): boolean {
  const names = [user.email, user.username, user.firstname, user.lastname, account.name, account.subdomain].map(
    (name) => fold(name ?? ''),
  );
  const words = names.flatMap((name) => [name, ...name.split(/[^\p{L}\p{N}]+/u)]);
  let rest = folded;
  // The longest first, so that no shorter one takes a piece out of it.
  for (const word of words.sort((one, other) => other.length - one.length)) {
    if ([...word].length >= 3) rest = rest.replaceAll(word, '');
  }
  return rest !== folded && [...rest].length < ownCharacters;
}
