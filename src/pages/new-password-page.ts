import { page, tile } from './page.ts';

/** Why a new password was not taken; `weakness` follows the words "the password". */
export type NewPasswordProblem = 'missing' | 'different' | 'same' | { readonly weakness: string };

/** What the page for a new password shows. */
export interface NewPasswordView {
  readonly accountName: string;
  readonly appName: string;
  /** Address of the application's logo, shown in place of its initial. */
  readonly logoUri?: string | undefined;
  readonly csrf: string;
  readonly request: string;
  /** Whose password it is; shown, and for the browser's list of passwords. */
  readonly username: string;
  /** Characters that it must have at least. */
  readonly minimumLength: number;
  readonly problem?: NewPasswordProblem | undefined;
  /** Path that the form is sent to. */
  readonly action: string;
}

const problems = {
  missing: { summary: 'Something is missing', advice: 'Enter your new password twice.' },
  different: { summary: 'The two passwords differ', advice: 'Enter the same new password in both fields.' },
  same: { summary: 'This is your present password', advice: 'Choose one that is different.' },
} as const;

/** The page on which an expired password is replaced: HTML of a whole document. */
export function newPasswordPage(view: NewPasswordView): string {
  const { problem } = view;
  const title = 'Choose a new password';
  return page(
    'new-password',
    { title: problem ? `Problem: ${title}` : title, accountName: view.accountName },
    {
      heading: title,
      app: tile(view.appName, view.logoUri),
      csrf: view.csrf,
      request: view.request,
      username: view.username,
      minimumLength: view.minimumLength,
      action: view.action,
      problem:
        typeof problem === 'object'
          ? { summary: 'Choose another password', advice: `The password ${problem.weakness}.` }
          : problem && problems[problem],
    },
  );
}
