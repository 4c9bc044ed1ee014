import { formAction } from './links.ts';
import { page, person, tile } from './page.ts';

/** The contents of the page of a signed-in user. */
export interface SignedInView {
  readonly accountName: string;
  /** First and last name; may be empty. */
  readonly userName: string;
  readonly userEmail: string;
}

/** The page at which an invited user arrives: HTML of a whole document. */
export function signedInPage({ accountName, userName, userEmail }: SignedInView): string {
  const heading = 'You are signed in';
  return page(
    'signed-in',
    { title: heading, accountName },
    {
      heading,
      app: tile(accountName, undefined),
      user: person(userName, userEmail),
      account: formAction('showAccount'),
      requestId: undefined,
      message: 'Open the application that you were invited to. It knows you for as long as you are signed in here.',
    },
  );
}

const onwards = {
  invite: 'Open the application that you were invited to, and sign in there with the new password.',
  reset: 'Sign in with it at your application, or here at your account.',
  not_let_in:
    'The rules of this account do not let you sign in now. Try again later. If this does not change, ask your administrator.',
} as const;

/**
 * The page for a user whose password was saved by a link that does not sign them in, by the kind of the link, or
 * because a rule forbids it. `requestId` is the reference by which an operator finds that rule.
 */
export function passwordSavedPage(accountName: string, onward: keyof typeof onwards, requestId?: string): string {
  const heading = 'Your password is saved';
  return page(
    'signed-in',
    { title: heading, accountName },
    {
      heading,
      app: tile(accountName, undefined),
      user: undefined,
      account: onward === 'reset' ? formAction('showAccount') : undefined,
      message: onwards[onward],
      requestId,
    },
  );
}
