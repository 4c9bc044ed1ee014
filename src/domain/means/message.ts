import type { ChangeNoticeRecord, MeansChange } from '../../store/change-notices.ts';
import type { Account } from '../accounts/account.ts';
import { type Mail, writeMail } from '../mail.ts';

const titles = {
  email: 'Your e-mail address was changed',
  username: 'Your user name was changed',
  password: 'Your password was changed',
  app_added: 'An authenticator app was added',
  app_removed: 'An authenticator app was removed',
  recovery_codes: 'New recovery codes were made',
  passkey_added: 'A passkey was added',
  passkey_removed: 'A passkey was removed',
} as const satisfies Record<MeansChange, string>;

const several = 'How you sign in was changed';

/** The message about a change. It contains no secret, no new address, and no link except to the account's own page. */
export function changeMessage(
  account: Pick<Account, 'name' | 'baseUrl'>,
  { address, changes, changedAt }: Pick<ChangeNoticeRecord, 'address' | 'changes' | 'changedAt'>,
): Mail {
  const said = changes.map((change) => titles[change]);
  const title = said.length === 1 && said[0] ? said[0] : several;
  const time = new Date(changedAt).toISOString().slice(0, 16).replace('T', ' ');
  return writeMail(account, address, title, [
    `${title} for ${address} at ${account.name}, on ${time} UTC.`,
    ...(said.length === 1 ? [] : [`${said.join('. ')}.`]),
    'If you did this, or an administrator did it for you, you do not need to do anything.',
    'If not, somebody else may be able to sign in as you: choose another password, remove what you do not recognize, and end all sessions here. If you can no longer sign in, contact the people who run the service.',
    { link: `${account.baseUrl}/account`, words: 'Your account' },
  ]);
}
