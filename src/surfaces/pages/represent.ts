import type { Account } from '../../domain/accounts/account.ts';
import { isDocumentId } from '../../domain/clients/document-url.ts';
import { logoSource } from '../../domain/clients/logo.ts';
import { displayName } from '../../domain/clients/represent-metadata.ts';
import { typedUserCode } from '../../domain/device/enter-code.ts';
import { type BrowserState, csrfToken, type OpenRequest } from '../../domain/login/authorization-request.ts';
import { isCancellable } from '../../domain/login/cancel.ts';
import { type ApiScope, consentScopes } from '../../domain/login/consent.ts';
import type { Step } from '../../domain/login/current-step.ts';
import { shownMark } from '../../domain/login/decide-consent.ts';
import type { PasswordProblem } from '../../domain/login/new-password.ts';
import type { DueReplacing } from '../../domain/login/pending.ts';
import type { Halfway, SignedIn } from '../../domain/login/sign-in.ts';
import { signInPasskeyOptions } from '../../domain/login/sign-in-passkey.ts';
import { fullName } from '../../domain/users/names.ts';
import { setCookie } from '../../pages/cookies.ts';
import { pageHeaders } from '../../pages/failure-page.ts';
import { formAction } from '../../pages/links.ts';
import { placeOf } from '../../pages/text.ts';
import { type ConsentView, consentPage, newPasswordPage, type ScopeView, signInPage } from '../../pages/views.ts';
import type { Services } from '../../services.ts';
import { toldByScope } from './told-by-scope.ts';

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

type ConsentStep = Extract<Step, { step: 'consent' }>;

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

const scopeViews: Readonly<Record<string, ScopeView>> = {
  openid: { name: 'openid', title: 'Know who you are', description: 'Your identifier in this account.' },
  profile: { name: 'profile', title: 'See your name', description: 'First name, last name and user name.' },
  email: { name: 'email', title: 'See your e-mail address', description: '' },
  address: { name: 'address', title: 'See your postal address', description: '' },
  phone: { name: 'phone', title: 'See your phone number', description: '' },
  offline_access: {
    name: 'offline_access',
    title: 'Keep access while you are signed out',
    description: 'Until you remove its access.',
  },
  groups: { name: 'groups', title: 'See your roles', description: 'The names of the roles you have in this account.' },
};

/** The description of a scope, if it has one. */
export function scopeTitle(name: string): string {
  return scopeViews[name]?.title ?? name;
}

/**
 * A scope of an API: its name tells two of the same description apart, the API's name two of the same name, and the
 * API's identifier two APIs of the same name. `same`: it, and those of other APIs that have its name.
 */
function apiScopeView(scope: ApiScope, same: readonly ApiScope[]): ScopeView {
  const { value, description, server } = scope;
  const namesakes = same.filter((one) => one.server.name === server.name);
  const told = [
    ...(description ? [value] : []),
    ...(same.length > 1 ? [server.name] : []),
    ...(namesakes.length > 1 ? [server.resourceIdentifier] : []),
  ];
  return { name: value, title: description || value, description: told.join(' – ') };
}

/** A scope as the page shows it: one of APIs once for each. */
function scopeViewsOf(account: Account, name: string, apiScopes: readonly ApiScope[]): readonly ScopeView[] {
  const known = scopeViews[name];
  if (known) return [{ ...known, ...toldByScope(account, name) }];
  const same = apiScopes.filter(({ value }) => value === name);
  if (same.length === 0) return [{ name, title: name, description: '' }];
  return same.map((scope) => apiScopeView(scope, same));
}

/** What is asked for: of an API that the request names, apart from what is about the user. */
function representAsked(
  account: Account,
  { record: { parameters } }: OpenRequest,
  apiScopes: readonly ApiScope[],
): Pick<ConsentView, 'scopes' | 'api'> {
  const names = consentScopes(parameters);
  const viewsOf = (some: readonly string[]) => some.flatMap((name) => scopeViewsOf(account, name, apiScopes));
  const [first] = apiScopes;
  if (parameters.serverId === null || !first) return { scopes: viewsOf(names) };
  const { server, claims } = first;
  const told = { name: 'claims', title: 'See this about you', description: claims.join(', ') };
  return {
    scopes: viewsOf(names.filter((name) => Object.hasOwn(scopeViews, name))),
    api: {
      ...server,
      scopes: [
        ...viewsOf(names.filter((name) => !Object.hasOwn(scopeViews, name))),
        ...(claims.length > 0 ? [told] : []),
      ],
    },
  };
}

/** The consent form for a request and the signed-in user. */
export function representConsent(
  services: Pick<Services, 'vault'>,
  account: Account,
  browser: BrowserState,
  { request, user, apiScopes }: ConsentStep,
): FormPage {
  const { client, record } = request;
  const { redirectUri, device } = record.parameters;
  const html = consentPage({
    ...formView(account, browser, request),
    clientUri: client.extra.client_uri,
    policyUri: client.extra.policy_uri,
    tosUri: client.extra.tos_uri,
    userCode: device && typedUserCode(services, account, device.sealedUserCode),
    redirectHost: placeOf(redirectUri),
    userName: fullName(user),
    userEmail: user.email ?? user.username ?? '',
    ...representAsked(account, request, apiScopes),
    isUnchecked: client.registeredBy === 'open',
    documentHost: isDocumentId(client.clientId) ? placeOf(client.clientId) : undefined,
    shown: shownMark(browser, client, apiScopes),
    action: formAction('decideConsent'),
  });
  return formPage(request, html);
}
