import type { Account } from '../domain/accounts/account.ts';
import { type Failure, isOfKind } from '../domain/failure.ts';
import type { RefusalContext } from '../http/operation.ts';
import { contentSecurityPolicy, type PolicyParts } from './content-security-policy.ts';
import { standaloneStyleSource } from './standalone.ts';
import { errorPage, refusalPage } from './views.ts';

/** Headers of every hosted page besides the common ones. */
export function pageHeaders(policy: PolicyParts = {}): Record<string, string> {
  return {
    'content-security-policy': contentSecurityPolicy(policy),
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
  };
}

/** Headers of an error page. */
export function failurePageHeaders({ account }: Pick<RefusalContext, 'account'>): Record<string, string> {
  return pageHeaders(account ? {} : { styleSource: standaloneStyleSource });
}

export type PageStatus = 400 | 403 | 404 | 405 | 410 | 413 | 429 | 500 | 503;

interface Words {
  readonly title: string;
  readonly message: string;
  readonly hint?: string;
}

const words = {
  400: {
    title: 'This request cannot be used',
    message: 'Something in the request is missing or wrong.',
    hint: 'Go back to the application and start again.',
  },
  403: {
    title: 'This form has expired',
    message: 'It was opened in another browser, or the sign-in has continued elsewhere.',
    hint: 'Go back to the application and start again.',
  },
  404: {
    title: 'There is nothing here',
    message: 'The address is not known to this service. Check it, or go back to where you came from.',
  },
  405: { title: 'This does not work here', message: 'The address cannot be used in this way.' },
  410: {
    title: 'This link does not work',
    message: 'It is incomplete, a newer link has replaced it, or your account has changed since.',
    hint: 'Use the newest link that you were sent, or ask for another.',
  },
  413: { title: 'This form is too large', message: 'It is larger than this service accepts.' },
  429: {
    title: 'Too many attempts',
    message: 'There were too many attempts in a short time.',
    hint: 'Wait a minute, then try again.',
  },
  500: {
    title: 'Something went wrong',
    message: 'The fault is on our side. Nothing was changed.',
    hint: 'Try again in a moment.',
  },
  503: {
    title: 'We are busy',
    message: 'The service cannot answer right now.',
    hint: 'Try again in a moment.',
  },
} as const satisfies Record<PageStatus, Words>;

/** Why a link for choosing a password cannot be used. */
const inviteWords: Readonly<Record<string, Words>> = {
  used: {
    title: 'This link has been used',
    message: 'A password has already been chosen with it.',
    hint: 'Sign in with that password, or ask for another link.',
  },
  expired: {
    title: 'This link has expired',
    message: 'It was valid for 72 hours.',
    hint: 'Ask for another one.',
  },
};

/** The same for a link that the user requested: no other link replaces it. */
const resetWords: Readonly<Record<string, Words>> = {
  unknown: { ...words[410], message: 'It is incomplete, or your account has changed since.' },
  used: { ...words[410], title: 'This link has been used', message: 'A password has already been chosen with it.' },
  expired: { ...words[410], title: 'This link has expired', message: 'It was valid for an hour.' },
};

/** The page for a failure: a refusal names the user's state, all others say what to do. */
export function failurePage(status: PageStatus, failure: Failure, { requestId, account }: RefusalContext): string {
  const accountName = account?.name;
  const { code, detail } = failure;
  if (isOfKind(code, 'user')) {
    return refusalPage({ accountName: accountName ?? '', appName: detail.value, reason: code, requestId });
  }
  if (code === 'invite_unusable') {
    const known = detail.name === 'reset' ? resetWords : inviteWords;
    return errorPage({ accountName, ...(known[detail.value ?? ''] ?? words[410]), requestId, status });
  }
  if (isOfKind(code, 'request') && code !== 'cross_site_request') {
    const { startAgain } = detail;
    return errorPage({ accountName, ...words[400], message: failure.message, startAgain, requestId, status });
  }
  const hint = status === 429 && detail.retryAfterSeconds !== undefined && waitHint(detail.retryAfterSeconds);
  return errorPage({ accountName, ...words[status], ...(hint && { hint }), requestId, status });
}

/** A limit of a minute has the words of its page; others end later. */
function waitHint(seconds: number): string | null {
  const minutes = Math.ceil(seconds / 60);
  return minutes > 1 ? `Try again in ${minutes} minutes.` : null;
}

/** The page for an address that nothing serves, whose account may be unknown. Nothing is kept of such requests. */
export function notFoundPage(account: Account | null) {
  const body = errorPage({ accountName: account?.name, ...words[404], requestId: null, status: 404 });
  return { body, headers: failurePageHeaders({ account }) };
}
