/** The rules for a new password: NIST SP 800-63B §3.1.1.2, minimum length and a blocklist, no rules on composition. */

import type { PolicyRecord } from '../../store/policies.ts';
import type { UserRecord } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { isCommonPassword } from './common-passwords.ts';

/** For any password. */
export const mostCharacters = 256;
/** The minimum length that must remain without the owner's names. */
const ownCharacters = 8;

/** The owner's publicly known words, which do not count in the password. */
export interface PasswordOwner {
  readonly account: Pick<Account, 'subdomain' | 'name'>;
  readonly user: Pick<UserRecord, 'email' | 'username' | 'firstname' | 'lastname'>;
}

/**
 * Which rule a password breaks, worded to follow "the password", or null. Length counts characters (code points);
 * everything else is compared case-folded in NFKC, as at a sign-in.
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
    const known = `the user's names or e-mail address, or the name ${owner.account.name}`;
    return `has fewer than ${ownCharacters} characters that are not from ${known}`;
  }
  return null;
}

/** Upper case first: it unifies letters that lower case keeps apart. */
function fold(text: string): string {
  return text.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC');
}

function isMadeOfNames(folded: string, { account, user }: PasswordOwner): boolean {
  const names = [user.email, user.username, user.firstname, user.lastname, account.name, account.subdomain].map(
    (name) => fold(name ?? ''),
  );
  const words = names.flatMap((name) => [name, ...name.split(/[^\p{L}\p{N}]+/u)]);
  let rest = folded;
  // Longest first, so that a shorter word does not break a longer one apart.
  for (const word of words.sort((one, other) => other.length - one.length)) {
    if ([...word].length >= 3) rest = rest.replaceAll(word, '');
  }
  return rest !== folded && [...rest].length < ownCharacters;
}
