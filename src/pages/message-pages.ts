import type { CodeOf } from '../domain/failure.ts';
import { type Icon, icons } from './icons.ts';
import { page } from './page.ts';
import { closedInItself, webLink } from './text.ts';

/** The contents of an error page. Its texts are the service's own, never text from a request. */
export interface ErrorView {
  /** Omitted when no account is on the host. */
  readonly accountName?: string | undefined;
  readonly title: string;
  readonly message: string;
  /** What the reader can do now. */
  readonly hint?: string | undefined;
  /** Where the reader can begin again; an address of the application. */
  readonly startAgain?: string | undefined;
  /** Null where nothing is kept of the failure that it could find. */
  readonly requestId: string | null;
  /** HTTP status of the answer. */
  readonly status: number;
}

/** The page for every error that is not about the user. */
export function errorPage(view: ErrorView): string {
  return page(
    'message',
    { title: view.title, accountName: view.accountName },
    {
      heading: view.title,
      message: { before: view.message, after: '' },
      hint: view.hint,
      startAgain: webLink(view.startAgain),
      icon: view.status === 429 || view.status === 503 ? icons.clock : icons.alert,
      tone: 'problem',
      requestId: view.requestId,
      status: view.status,
    },
  );
}

/** Why a user who gave the right password may not continue. */
export type RefusalReason = CodeOf<'user'>;

/** The contents of a refusal. */
export interface RefusalView {
  readonly accountName: string;
  readonly appName?: string | undefined;
  readonly reason: RefusalReason;
  readonly requestId: string;
}

interface Refusal {
  readonly heading: string;
  readonly before: string;
  readonly names: 'account' | 'app';
  readonly after: string;
  readonly hint: string;
  readonly icon: Icon;
}

const refusals = {
  user_locked: {
    heading: 'Your account is locked',
    before: 'An administrator of ',
    names: 'account',
    after: ' has locked your account.',
    hint: 'Ask your administrator to unlock it, then sign in again.',
    icon: icons.lock,
  },
  user_suspended: {
    heading: 'Your account is suspended',
    before: 'An administrator of ',
    names: 'account',
    after: ' has suspended your account.',
    hint: 'If this comes as a surprise, ask your administrator.',
    icon: icons.pause,
  },
  access_not_assigned: {
    heading: 'You do not have access',
    before: 'You have not been given access to ',
    names: 'app',
    after: '.',
    hint: 'Ask your administrator to assign it to you, then try again.',
    icon: icons.refused,
  },
  administrator_required: {
    heading: 'For administrators only',
    before: 'You are not an administrator of ',
    names: 'account',
    after: '.',
    hint: 'Ask an administrator to make you one, then try again.',
    icon: icons.refused,
  },
  sign_in_refused: {
    heading: 'You cannot sign in',
    before: 'The rules of ',
    names: 'account',
    after: ' do not let you sign in now.',
    hint: 'Try again later. If this does not change, ask your administrator.',
    icon: icons.refused,
  },
  user_inactive: {
    heading: 'Your account is not active',
    before: 'Your account at ',
    names: 'account',
    after: ' is not active.',
    hint: 'Try “Forgot your password?” on the sign-in page. If you get no message, ask your administrator to activate it.',
    icon: icons.clock,
  },
} as const satisfies Record<RefusalReason, Refusal>;

/** The page that names a user's state. Must only be shown after the right password. */
export function refusalPage(view: RefusalView): string {
  const { heading, before, names, after, hint, icon } = refusals[view.reason];
  const name = names === 'app' ? (view.appName ?? 'this application') : view.accountName;
  return page(
    'message',
    { title: heading, accountName: view.accountName },
    {
      heading,
      message: { before, name: closedInItself(name), after },
      hint,
      icon,
      tone: 'refusal',
      requestId: view.requestId,
      status: undefined,
    },
  );
}
