/** Tells users of what was changed on their account pages, at the address that they are known by. */

import type { Services } from '../../services.ts';
import type { UserRecord } from '../../store/records.ts';
import type { Account } from '../accounts/account.ts';
import { sendMail, writeMail } from '../mail.ts';

const titles = {
  password: 'Your password was changed',
  app_added: 'An authenticator app was added',
  app_removed: 'An authenticator app was removed',
  recovery_codes: 'New recovery codes were made',
  passkey_added: 'A passkey was added',
  passkey_removed: 'A passkey was removed',
} as const;

export type TellServices = Pick<Services, 'clock' | 'mailer' | 'log'>;

/**
 * Sends a message about a change that is committed, once and in the background: the change is no less made where it
 * cannot be sent. It holds no secret, and no link but to the account's own page.
 */
export function tellUser(
  services: TellServices,
  account: Account,
  { email }: Pick<UserRecord, 'email'>,
  change: keyof typeof titles,
): void {
  if (email === null) return;
  const title = titles[change];
  const time = new Date(services.clock.now()).toISOString().slice(0, 16).replace('T', ' ');
  const mail = writeMail(account, email, title, [
    `${title} for ${email} at ${account.name}, on ${time} UTC.`,
    'If it was you, you need not do anything.',
    'If it was not you, somebody else was signed in as you: choose another password, remove what you do not know, and end all sessions here:',
    { link: `${account.baseUrl}/account`, words: 'Your account' },
  ]);
  void sendMail(services, account, mail);
}
