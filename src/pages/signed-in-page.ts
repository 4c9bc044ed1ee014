import { formAction } from './links.ts';
import { page, person, tile } from './page.ts';

/** What the page of a signed-in user shows. */
export interface SignedInView {
  readonly accountName: string;
  /** First and last name; may be empty. */
  readonly userName: string;
  readonly userEmail: string;
}

/** Where an invited user arrives: HTML of a whole document. */
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
      message: 'Open the application that you were invited to. It knows you for as long as you are signed in here.',
    },
  );
}

/** What a user with a link is told where a second factor is asked for as well. */
export function passwordSavedPage(accountName: string, forgotten = false): string {
  const heading = 'Your password is saved';
  return page(
    'signed-in',
    { title: heading, accountName },
    {
      heading,
      app: tile(accountName, undefined),
      user: undefined,
      account: forgotten ? formAction('showAccount') : undefined,
      message: forgotten
        ? 'Sign in with it at your application, or here at your account.'
        : 'Open the application that you were invited to, and sign in there with the new password.',
    },
  );
}
