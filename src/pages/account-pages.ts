/** The pages of the parts of an account: each function returns the HTML of a whole document that needs no script. */

import { browserName } from './browser-name.ts';
import { formAction } from './links.ts';
import { type NewPasswordProblem, newPasswordProblem } from './new-password-page.ts';
import { type Frame, page, tile } from './page.ts';
import { moment, momentOrNull, notice } from './said.ts';
import { closedInItself } from './text.ts';

/** The common contents of these pages. */
export interface OwnView {
  readonly accountName: string;
  /** The CSRF token of the forms. */
  readonly csrf: string;
  /** The word in the address for what has just been done. */
  readonly done?: string | undefined;
}

/** A page below the overview. */
export function part(
  template: string,
  heading: string,
  { accountName, csrf, done }: OwnView,
  parts: { readonly problem?: object | undefined; readonly [name: string]: unknown },
  script?: Frame['script'],
): string {
  return page(
    template,
    { title: parts.problem ? `Problem: ${heading}` : heading, accountName, wide: true, script },
    { heading, back: formAction('showAccount'), csrf, notice: notice(done), ...parts },
  );
}

/** Why a new password was rejected; `wrong`: the current one is not right. */
type ChangeProblem = 'wrong' | NewPasswordProblem;

export interface PasswordChangeView extends OwnView {
  readonly username: string;
  readonly minimumLength: number;
  readonly endOthers: boolean;
  readonly problem?: ChangeProblem | undefined;
}

// The same text for a wrong password and for a pause after too many: someone at an open browser must not learn which.
const wrongPassword = {
  summary: 'This is not your current password',
  advice: 'Enter the password that you sign in with now. After too many wrong attempts, wait a while.',
};

export function passwordChangePage(view: PasswordChangeView): string {
  const { username, minimumLength, endOthers, problem } = view;
  const said = problem === 'wrong' ? wrongPassword : problem && newPasswordProblem(problem);
  const action = formAction('changePassword');
  const parts = { username, minimumLength, endOthers, action, problem: said, wrong: problem === 'wrong' };
  return part('account-password', 'Change your password', view, parts);
}

export interface FactorsView extends OwnView {
  readonly devices: readonly {
    readonly id: number;
    readonly name: string;
    readonly createdAt: number;
    readonly lastUsedAt: number | null;
  }[];
  readonly codesLeft: number;
  readonly canAdd: boolean;
}

export function factorsPage(view: FactorsView): string {
  return part('account-factors', 'Second factors', view, {
    devices: view.devices.map(({ id, name, createdAt, lastUsedAt }) => ({
      id,
      name: closedInItself(name),
      added: moment(createdAt),
      used: momentOrNull(lastUsedAt),
    })),
    codesLeft: view.codesLeft === 0 ? 'None' : view.codesLeft,
    addHref: view.canAdd ? formAction('showNewSecondFactor') : null,
    removeAction: formAction('removeSecondFactor'),
    renewAction: formAction('renewRecoveryCodes'),
  });
}

export interface SessionsView extends OwnView {
  readonly sessions: readonly {
    readonly id: number;
    /** Whether it is the session of this browser. */
    readonly own: boolean;
    readonly authenticatedAt: number;
    readonly lastSeenAt: number;
    readonly source: string | null;
    readonly userAgent: string | null;
  }[];
}

export function sessionsPage(view: SessionsView): string {
  return part('account-sessions', 'Where you are signed in', view, {
    sessions: view.sessions.map((session) => ({
      ...session,
      browser: browserName(session.userAgent),
      began: moment(session.authenticatedAt),
      used: moment(session.lastSeenAt),
    })),
    appsHref: formAction('showApps'),
    endAction: formAction('endOneSession'),
    endAllAction: formAction('endAllSessions'),
  });
}

export interface AppsView extends OwnView {
  readonly apps: readonly {
    readonly id: number;
    readonly name: string;
    /** In words. */
    readonly scopes: readonly string[];
    readonly allowedAt: number | null;
    readonly hasTokens: boolean;
  }[];
}

export function appsPage(view: AppsView): string {
  return part('account-apps', 'Applications', view, {
    apps: view.apps.map(({ id, name, scopes, allowedAt, hasTokens }) => ({
      id,
      hasTokens,
      tile: tile(name, undefined),
      scopes: scopes.map(closedInItself),
      allowed: momentOrNull(allowedAt),
    })),
    removeAction: formAction('removeApp'),
  });
}
