import type { Account } from '../../domain/accounts/account.ts';
import { logoSource } from '../../domain/clients/logo.ts';
import { displayName } from '../../domain/clients/represent-metadata.ts';
import { type BrowserState, csrfToken, type OpenRequest } from '../../domain/login/authorization-request.ts';
import { isCancellable } from '../../domain/login/cancel.ts';
import type { PasswordProblem } from '../../domain/login/new-password.ts';
import type { DueReplacing } from '../../domain/login/pending.ts';
import type { Halfway, SignedIn } from '../../domain/login/sign-in.ts';
import { signInPasskeyOptions } from '../../domain/login/sign-in-passkey.ts';
import { setCookie } from '../../pages/cookies.ts';
import { pageHeaders } from '../../pages/failure-page.ts';
import { formAction } from '../../pages/links.ts';
import { newPasswordPage, signInPage } from '../../pages/views.ts';
import type { Services } from '../../services.ts';

/**
 * The logo, loaded from the client's own address if the page's policy can name its host. Only for clients that a caller
 * of the account registered: others could use it to watch who visits this page.
 */
export function shownLogo({ registeredBy, extra }: OpenRequest['client']): string | undefined {
  if (registeredBy !== 'token' || extra.logo_uri === undefined) return undefined;
  return logoSource(extra.logo_uri) === null ? undefined : extra.logo_uri;
}

/** A page with its headers: the browser does not run or show anything that its policy does not allow. */
export type FormPage = readonly [html: string, headers: Readonly<Record<string, string>>];

/** With the headers of a form for a request; `script`: the page asks for a passkey as well. */
export function formPage({ client, record }: OpenRequest, html: string, script = false): FormPage {
  const { device, redirectUri } = record.parameters;
  // The sign-in of a device ends at a page of ours.
  return [html, pageHeaders({ ...(!device && { redirectUri }), logoUri: shownLogo(client), script })];
}

/** RFC 9110 §11.6.1 requires a challenge with every 401; no browser shows a prompt for this one. */
export function challenged([html, headers]: FormPage): FormPage {
  return [html, { ...headers, 'www-authenticate': 'Form realm="gatehouse"' }];
}

/** The cookies that change after a successful form. */
export function setCookies(account: Account, result: SignedIn | Halfway): string[] {
  const transaction = setCookie(account, 'tx', result.browserSecret);
  return result.outcome === 'signed_in'
    ? [setCookie(account, 'sid', result.sessionSecret), transaction]
    : [transaction];
}

/** The common fields of every form for a request. */
export function formView(account: Account, { browserSecret, requestId }: BrowserState, open: OpenRequest) {
  const { client } = open;
  return {
    accountName: account.name,
    appName: displayName(client),
    logoUri: shownLogo(client),
    csrf: csrfToken(browserSecret ?? '', requestId ?? ''),
    request: requestId ?? '',
    ...(isCancellable(open) && { cancel: formAction('cancelSignIn') }),
  };
}

/** The sign-in form for a request, with a new challenge for a passkey. */
export function representSignIn(
  services: Pick<Services, 'vault' | 'random' | 'clock' | 'passkeys'>,
  account: Account,
  browser: BrowserState,
  request: OpenRequest,
  { username, problem }: { readonly username: string; readonly problem?: 'wrong' | 'missing' | 'passkey' },
): FormPage {
  const html = signInPage({
    ...formView(account, browser, request),
    username,
    problem,
    action: formAction('signIn'),
    passkeyOptions: signInPasskeyOptions(services, account, request),
    passkeyAction: formAction('signInWithPasskey'),
  });
  return formPage(request, html, true);
}

/** The form for a new password, for a user whose password has expired. */
export function representNewPassword(
  account: Account,
  browser: BrowserState,
  { request, user, policy }: DueReplacing,
  problem?: PasswordProblem,
): FormPage {
  const html = newPasswordPage({
    ...formView(account, browser, request),
    username: user.email ?? user.username ?? '',
    minimumLength: policy.minimumPasswordLength,
    problem,
    action: formAction('chooseNewPassword'),
  });
  return formPage(request, html);
}
