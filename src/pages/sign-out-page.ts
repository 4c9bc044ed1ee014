import { icons } from './icons.ts';
import { formAction } from './links.ts';
import { page, person } from './page.ts';
import { closedInItself, isolated, placeOf } from './text.ts';

/** The contents of the page that asks whether to sign out. */
export interface SignOutView {
  readonly accountName: string;
  /** The application that requests it; omitted if unknown. */
  readonly appName?: string | undefined;
  readonly userName: string;
  readonly userEmail: string;
  readonly csrf: string;
  readonly request: string;
  readonly action: string;
}

/** The page that asks whether to sign out: one form with one button. */
export function signOutPage(view: SignOutView): string {
  return page(
    'sign-out',
    { title: `Sign out of ${isolated(view.accountName)}?`, accountName: view.accountName },
    {
      icon: icons.leave,
      appName: view.appName === undefined ? undefined : closedInItself(view.appName),
      user: person(view.userName, view.userEmail),
      csrf: view.csrf,
      request: view.request,
      action: view.action,
      appsHref: formAction('showApps'),
    },
  );
}

/** The page after signing out; `onward` leads to the application that asked. */
export function signedOutPage({
  accountName,
  onward,
}: {
  readonly accountName: string;
  readonly onward?: string;
}): string {
  return page(
    'signed-out',
    { title: 'You are signed out', accountName },
    {
      icon: icons.done,
      account: formAction('showAccount'),
      appsHref: formAction('showApps'),
      onward: onward === undefined ? undefined : { href: onward, place: placeOf(onward) },
    },
  );
}
