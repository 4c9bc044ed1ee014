import type { Account } from '../accounts/account.ts';
import { type Mail, writeMail } from '../mail.ts';

const title = 'Choose a new password';

/** The message with a link; `lifeMinutes` is the validity that it states. */
export function resetMessage(account: Pick<Account, 'name'>, to: string, link: string, lifeMinutes: number): Mail {
  return writeMail(account, to, title, [
    `Somebody asked for a new password for ${to} at ${account.name}. If it was you, choose one here:`,
    { link, words: title },
    `The link works once, for ${lifeMinutes} minutes. It ends sooner if your password, address, user name, or status changes.`,
    'If it was not you, you do not need to do anything: your password stays as it is.',
  ]);
}
