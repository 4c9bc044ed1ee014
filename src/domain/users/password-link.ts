import type { Account } from '../accounts/account.ts';

/** The address of the hosted page on which a user chooses a password, for who has the token of an invite or a reset. */
export function passwordLink({ baseUrl }: Pick<Account, 'baseUrl'>, token: string): string {
  return `${baseUrl}/password/reset?token=${token}`;
}
