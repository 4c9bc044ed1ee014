import { icons } from './icons.ts';
import { formAction, pageLink } from './links.ts';
import { page } from './page.ts';

/** The contents of the page on which a link for a new password is requested. */
export interface ForgotPasswordView {
  readonly accountName: string;
  readonly csrf: string;
  /** The sign-in to return to; may be empty. */
  readonly request: string;
  /** True: no name was typed. */
  readonly missing?: boolean;
}

function backTo(request: string): string | null {
  return request === '' ? null : pageLink('showSignIn', request);
}

/** The page for a name: HTML of a whole document. */
export function forgotPasswordPage({ accountName, csrf, request, missing = false }: ForgotPasswordView): string {
  const heading = 'Forgot your password?';
  const problem = { summary: 'Something is missing', advice: 'Enter your user name or your e-mail address.' };
  return page(
    'forgot-password',
    { title: missing ? `Problem: ${heading}` : heading, accountName },
    {
      ...{ heading, csrf, request, icon: icons.lock, sent: false, back: backTo(request) },
      action: formAction('askForReset'),
      problem: missing ? problem : undefined,
    },
  );
}

/** The same response for every name. */
export function resetSentPage({ accountName, request }: Pick<ForgotPasswordView, 'accountName' | 'request'>): string {
  const heading = 'Check your e-mail';
  return page(
    'forgot-password',
    { title: heading, accountName },
    { heading, icon: icons.mail, sent: true, back: backTo(request) },
  );
}
