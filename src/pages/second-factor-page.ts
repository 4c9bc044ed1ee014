import { page, tile } from './page.ts';
import { qrCode } from './qr-code.ts';
import { isolated } from './text.ts';

/** Why the form is shown again. */
type CodeProblem = 'wrong' | 'missing';
/** The same, or a passkey that was refused. */
type FactorProblem = CodeProblem | 'passkey';

/** The common contents of the pages for a second factor. */
interface FactorView {
  readonly accountName: string;
  readonly appName: string;
  /** Address of the application's logo, shown in place of its initial. */
  readonly logoUri?: string | undefined;
  readonly csrf: string;
  readonly request: string;
  /** Path that *Cancel* is sent to; absent where no application waits. */
  readonly cancel?: string | undefined;
  /** The user's name. */
  readonly username: string;
  readonly problem?: CodeProblem | undefined;
  /** Path that the form is sent to. */
  readonly action: string;
}

export interface SecondFactorView extends Omit<FactorView, 'problem'> {
  /** Whether the form for a recovery code is shown again. */
  readonly recovery?: boolean | undefined;
  readonly problem?: FactorProblem | undefined;
  /** Whether the user has a device that makes codes. */
  readonly codes: boolean;
  /** The WebAuthn options for a passkey of the user, as JSON; null if there is none. */
  readonly passkeyOptions: string | null;
  readonly passkeyAction: string;
}

export interface EnrolmentView extends FactorView {
  /** Path of its account page; omitted in a sign-in. */
  readonly own?: string;
  /** The key in base 32. */
  readonly secret: string;
  /** The key as a URL for an authenticator app. */
  readonly url: string;
}

// The same text for a wrong code, a used one and a paused user: someone who guesses must not learn which.
const codeProblems = {
  wrong: {
    summary: 'This code does not work',
    advice:
      'It is wrong, has been used before, or there were too many attempts. Wait for the next one, or wait a while.',
  },
  missing: { summary: 'Something is missing', advice: 'Enter a code.' },
  passkey: {
    summary: 'This passkey does not work',
    advice: 'It is not one of yours here, or it took too long. Try again.',
  },
} as const;

const enrolmentProblems = {
  wrong: {
    summary: 'This code does not match the key',
    advice: 'Enter the code that your app shows now. If it keeps failing, check the clock of your device.',
  },
  missing: { summary: 'Something is missing', advice: 'Enter the code that your app shows.' },
} as const;

function shared(view: Omit<FactorView, 'problem'>) {
  const { csrf, request, action, username, cancel } = view;
  return { app: tile(view.appName, view.logoUri), csrf, request, action, username, cancel };
}

/** The page for a code: HTML of a whole document. */
export function secondFactorPage(view: SecondFactorView): string {
  const heading = view.codes ? 'Enter your code' : 'Show your passkey';
  const { passkeyOptions: options, passkeyAction: action } = view;
  const script = options === null ? undefined : 'passkeys.js';
  return page(
    'second-factor',
    { title: view.problem ? `Problem: ${heading}` : heading, accountName: view.accountName, script },
    {
      ...shared(view),
      heading,
      codes: view.codes,
      codeWrong: view.problem !== undefined && view.problem !== 'passkey',
      passkey: options !== null && {
        ...{ action, options, apart: view.codes, amongNames: false },
        ...{ label: view.codes ? 'Use a passkey instead' : 'Continue with a passkey', otherwise: 'Try again.' },
      },
      recovery: view.recovery === true,
      problem: view.problem && codeProblems[view.problem],
    },
  );
}

/** The page on which an authenticator app is enrolled: HTML of a whole document. */
export function enrolmentPage(view: EnrolmentView): string {
  const heading = view.own === undefined ? 'Set up a second factor' : 'Add an authenticator app';
  return page(
    'enrolment',
    { title: view.problem ? `Problem: ${heading}` : heading, accountName: view.accountName },
    {
      ...shared(view),
      heading,
      own: view.own,
      // In groups of four, for reading.
      secret: view.secret.replace(/(.{4})(?=.)/g, '$1 '),
      url: view.url,
      code: qrCode(view.url),
      problem: view.problem && enrolmentProblems[view.problem],
    },
  );
}

export interface RecoveryCodesView {
  readonly accountName: string;
  readonly appName: string;
  readonly logoUri?: string | undefined;
  readonly codes: readonly string[];
  /** Where to continue. */
  readonly next: string;
  /** Whether these replace former ones. */
  readonly renewed?: boolean;
}

/** The page that shows recovery codes, once: HTML of a whole document. */
export function recoveryCodesPage(view: RecoveryCodesView): string {
  const { accountName, appName, logoUri, codes, next, renewed = false } = view;
  const heading = 'Save your recovery codes';
  const title = `${heading} – ${isolated(appName)}`;
  return page('recovery-codes', { title, accountName }, { app: tile(appName, logoUri), heading, codes, next, renewed });
}
