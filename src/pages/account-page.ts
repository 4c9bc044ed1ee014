import { icons } from './icons.ts';
import { formAction, signOutLink } from './links.ts';
import { page, person, tile } from './page.ts';
import { moment, notice } from './said.ts';

export interface AccountView {
  readonly accountName: string;
  /** The word in the address for what has just been done. */
  readonly done?: string | undefined;
  readonly userName: string;
  readonly userEmail: string;
  /** When the password was set; milliseconds. */
  readonly passwordChangedAt: number | null;
  readonly devices: number;
  readonly passkeys: number;
  readonly sessions: number;
  readonly apps: number;
}

function counted(count: number, one: string, several: string, none: string): string {
  if (count === 0) return none;
  return count === 1 ? `1 ${one}` : `${count} ${several}`;
}

/** The overview: who is signed in, and the parts of the account. */
export function accountPage(view: AccountView): string {
  const { accountName, userName, userEmail, passwordChangedAt } = view;
  const parts = [
    {
      href: formAction('showPasswordChange'),
      icon: icons.lock,
      title: 'Password',
      state: passwordChangedAt === null ? 'Change it' : `Set ${moment(passwordChangedAt).text}`,
    },
    {
      href: formAction('showSecondFactors'),
      icon: icons.phone,
      title: 'Second factors',
      state: counted(view.devices, 'device', 'devices', 'None: the password alone signs you in'),
    },
    {
      href: formAction('showPasskeys'),
      icon: icons.key,
      title: 'Passkeys',
      state: counted(view.passkeys, 'passkey', 'passkeys', 'None: add one to sign in without the password'),
    },
    {
      href: formAction('showSessions'),
      icon: icons.device,
      title: 'Where you are signed in',
      state: counted(view.sessions, 'browser', 'browsers', 'Nowhere'),
    },
    {
      href: formAction('showApps'),
      icon: icons.apps,
      title: 'Applications',
      state: counted(view.apps, 'uses your account', 'use your account', 'No application uses your account'),
    },
  ];
  return page(
    'account',
    { title: 'Your account', accountName, wide: true },
    {
      app: tile(accountName, undefined),
      user: person(userName, userEmail),
      notice: notice(view.done),
      parts,
      signOut: signOutLink,
    },
  );
}
