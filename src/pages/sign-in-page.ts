import { pageLink } from './links.ts';
import { page, tile } from './page.ts';
import { isolated } from './text.ts';

/** What the sign-in page shows. */
export interface SignInView {
  readonly accountName: string;
  readonly appName: string;
  /** Address of the application's logo, shown in place of its initial. */
  readonly logoUri?: string | undefined;
  /** Token that the form sends back as `csrf`. */
  readonly csrf: string;
  /** Identifier of the authorization request, sent back as `request`. */
  readonly request: string;
  /** Path that *Cancel* is sent to; absent where no application waits. */
  readonly cancel?: string | undefined;
  /** The name typed before, or an empty string. A password is never shown again. */
  readonly username: string;
  /**
   * Why the form is shown again: `wrong` for every refused name and password alike, `missing` for an empty field,
   * `passkey` for a refused passkey.
   */
  readonly problem?: 'wrong' | 'missing' | 'passkey' | undefined;
  /** Path that the form is sent to. */
  readonly action: string;
  /** The WebAuthn options for a passkey, as JSON, and the path for the answer. */
  readonly passkeyOptions: string;
  readonly passkeyAction: string;
}

// The same text for a wrong password, an unknown name and a paused user: strangers must not learn which.
const signInProblems = {
  wrong: {
    summary: 'We could not sign you in',
    advice: 'The user name or the password is wrong, or there were too many attempts. Check both, or wait a while.',
  },
  missing: { summary: 'Something is missing', advice: 'Enter both your user name and your password.' },
  passkey: {
    summary: 'We could not sign you in',
    advice: 'This passkey is not known here, or it took too long. Try again, or use your password.',
  },
} as const;

/** The sign-in page: HTML of a whole document. */
export function signInPage(view: SignInView): string {
  const start = `Sign in to ${isolated(view.appName)}`;
  return page(
    'sign-in',
    { title: view.problem ? `Problem: ${start}` : start, accountName: view.accountName, script: 'passkeys.js' },
    {
      app: tile(view.appName, view.logoUri),
      csrf: view.csrf,
      request: view.request,
      cancel: view.cancel,
      username: view.username,
      action: view.action,
      forgot: pageLink('showForgotPassword', view.request),
      focus: view.username === '' ? 'username' : 'password',
      problem: view.problem && signInProblems[view.problem],
      fieldsWrong: view.problem !== undefined && view.problem !== 'passkey',
      passkey: {
        ...{ action: view.passkeyAction, options: view.passkeyOptions, apart: true, amongNames: true },
        ...{ label: 'Sign in with a passkey', otherwise: 'Try again, or use your password.' },
      },
    },
  );
}
