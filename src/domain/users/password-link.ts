import type { Account } from '../accounts/account.ts';

/** The URL of the hosted page on which a user chooses a password with the token of an invite or a reset. */
export function passwordLink({ baseUrl }: Pick<Account, 'baseUrl'>, token: string): string {
  return `${baseUrl}/password/reset?token=${token}`;
}
