import type { Account } from '../../domain/accounts/account.ts';
import { isDocumentId } from '../../domain/clients/document-url.ts';
import { displayName } from '../../domain/clients/represent-metadata.ts';
import { typedUserCode } from '../../domain/device/enter-code.ts';
import type { BrowserState, OpenRequest } from '../../domain/login/authorization-request.ts';
import { type ApiScope, consentScopes } from '../../domain/login/consent.ts';
import type { Step } from '../../domain/login/current-step.ts';
import { shownMark } from '../../domain/login/decide-consent.ts';
import { fullName } from '../../domain/users/names.ts';
import { formAction } from '../../pages/links.ts';
import { placeOf } from '../../pages/text.ts';
import { type ConsentView, consentPage, type ScopeView } from '../../pages/views.ts';
import type { Services } from '../../services.ts';
import { type FormPage, formPage, formView } from './represent.ts';
import { toldByScope } from './told-by-scope.ts';

type ConsentStep = Extract<Step, { step: 'consent' }>;

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
  { request, user, apiScopes, mayAct }: ConsentStep,
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
    mayAct: mayAct.map(displayName),
    isUnchecked: client.registeredBy === 'open',
    documentHost: isDocumentId(client.clientId) ? placeOf(client.clientId) : undefined,
    shown: shownMark(browser, client, apiScopes),
    action: formAction('decideConsent'),
  });
  return formPage(request, html);
}
