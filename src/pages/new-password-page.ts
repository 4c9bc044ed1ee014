import { page, tile } from './page.ts';
import { closedInItself } from './text.ts';

/** Why a new password was rejected; `weakness` follows the words "the password". */
export type NewPasswordProblem = 'missing' | 'different' | 'same' | { readonly weakness: string };

/** The common contents of pages with a new password. */
interface PasswordView {
  readonly accountName: string;
  readonly csrf: string;
  /** The user's name, for display and for the browser's password manager. */
  readonly username: string;
  /** Minimum length of the password. */
  readonly minimumLength: number;
  readonly problem?: NewPasswordProblem | undefined;
  /** Path that the form is sent to. */
  readonly action: string;
}

/** The contents of the page for a new password in a sign-in. */
export interface NewPasswordView extends PasswordView {
  readonly appName: string;
  /** Address of the application's logo, shown in place of its initial. */
  readonly logoUri?: string | undefined;
  readonly request: string;
  /** Path that *Cancel* is sent to; absent where no application waits. */
  readonly cancel?: string | undefined;
}

/** The contents of the page for an invited user. */
export interface InviteView extends PasswordView {
  /** Whether the user requested the link because the former password is forgotten. */
  readonly forgotten?: boolean;
  /** The link's token, sent back as `token`. */
  readonly token: string;
}

const problems = {
  missing: { summary: 'Something is missing', advice: 'Enter your new password twice.' },
  different: { summary: 'The two passwords differ', advice: 'Enter the same new password in both fields.' },
  same: { summary: 'This is your current password', advice: 'Choose one that is different.' },
} as const;

/** The problem in words. */
export function newPasswordProblem(problem: NewPasswordProblem) {
  if (typeof problem !== 'object') return problems[problem];
  return { summary: 'Choose another password', advice: `The password ${problem.weakness}.` };
}

/** The page on which an expired password is replaced: HTML of a whole document. */
export function newPasswordPage(view: NewPasswordView): string {
  const { appName, logoUri, request, cancel } = view;
  return passwordPage(view, {
    heading: 'Choose a new password',
    tile: tile(appName, logoUri),
    lead: { before: 'Your password has expired. Replace it to continue to ', name: appName },
    hidden: { name: 'request', value: request },
    submit: 'Save and continue',
    cancel,
  });
}

/** The page to which an invite link leads: HTML of a whole document. */
export function invitePage(view: InviteView): string {
  return passwordPage(view, {
    heading: view.forgotten ? 'Choose a new password' : 'Choose a password',
    tile: tile(view.accountName, undefined),
    lead: { before: 'You will use it to sign in at ', name: view.accountName },
    hidden: { name: 'token', value: view.token },
    submit: 'Save and sign in',
  });
}

interface Parts {
  readonly heading: string;
  readonly tile: ReturnType<typeof tile>;
  readonly lead: { readonly before: string; readonly name: string };
  /** The hidden fields besides `csrf`. */
  readonly hidden: { readonly name: string; readonly value: string };
  readonly submit: string;
  readonly cancel?: string | undefined;
}

function passwordPage(view: PasswordView, { heading, tile, lead, hidden, submit, cancel }: Parts): string {
  const { problem } = view;
  return page(
    'new-password',
    { title: problem ? `Problem: ${heading}` : heading, accountName: view.accountName },
    {
      heading,
      app: tile,
      lead: { ...lead, name: closedInItself(lead.name) },
      hidden,
      request: hidden.value,
      cancel,
      submit,
      csrf: view.csrf,
      username: view.username,
      minimumLength: view.minimumLength,
      action: view.action,
      problem: problem && newPasswordProblem(problem),
    },
  );
}
