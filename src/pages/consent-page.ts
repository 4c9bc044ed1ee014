import { scopeIcon } from './icons.ts';
import { page, person, tile } from './page.ts';
import { closedInItself, isolated, placeOf, webLink } from './text.ts';

/** A scope for display. */
export interface ScopeView {
  /** As requested, for example `email`. */
  readonly name: string;
  readonly title: string;
  /** May be empty. */
  readonly description: string;
}

/** What the consent page shows. */
export interface ConsentView {
  readonly accountName: string;
  readonly appName: string;
  /** URL of the application's logo, shown instead of its initial. */
  readonly logoUri?: string | undefined;
  /** The client's own links; only http and https are shown. */
  readonly clientUri?: string | undefined;
  readonly policyUri?: string | undefined;
  readonly tosUri?: string | undefined;
  /** Host, or private-use scheme, of the redirect URI. */
  readonly redirectHost: string;
  /** The user code of the device to approve, if the request comes from one. */
  readonly userCode?: string | undefined;
  readonly userName: string;
  readonly userEmail: string;
  readonly scopes: readonly ScopeView[];
  /** The API that the request names, if it names one. */
  readonly api?: { readonly name: string; readonly resourceIdentifier: string } | undefined;
  /** The client registered itself. */
  readonly isUnchecked: boolean;
  /** What the form says of the scopes of APIs that are shown. */
  readonly shown: string;
  readonly csrf: string;
  readonly request: string;
  readonly action: string;
}

/** The consent page: one form with the buttons `decision=allow` and `decision=deny`, in this order. */
export function consentPage(view: ConsentView): string {
  return page(
    'consent',
    { title: `Allow ${isolated(view.appName)}?`, accountName: view.accountName, wide: true },
    {
      app: tile(view.appName, view.logoUri),
      client: webLink(view.clientUri),
      policy: webLink(view.policyUri),
      terms: webLink(view.tosUri),
      redirectHost: closedInItself(view.redirectHost),
      userCode: view.userCode,
      user: person(view.userName, view.userEmail),
      scopes: view.scopes.map((scope) => ({
        icon: scopeIcon(scope.name),
        title: closedInItself(scope.title === '' ? scope.name : scope.title),
        description: closedInItself(scope.description),
      })),
      api: view.api && { name: closedInItself(view.api.name), place: placeOf(view.api.resourceIdentifier) },
      isUnchecked: view.isUnchecked,
      shown: view.shown,
      csrf: view.csrf,
      request: view.request,
      action: view.action,
    },
  );
}
