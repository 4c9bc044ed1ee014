import { scopeIcon } from './icons.ts';
import { page, person, tile } from './page.ts';
import { closedInItself, isolated, webLink } from './text.ts';

/** A scope in words. */
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
  /** Address of the application's logo, shown in place of its initial. */
  readonly logoUri?: string | undefined;
  /** The client's own links; anything but http and https is left out. */
  readonly clientUri?: string | undefined;
  readonly policyUri?: string | undefined;
  readonly tosUri?: string | undefined;
  /** Host, or private-use scheme, that the answer goes to. */
  readonly redirectHost: string;
  /** The code of the device that is let in; then the answer goes there. */
  readonly userCode?: string | undefined;
  readonly userName: string;
  readonly userEmail: string;
  readonly scopes: readonly ScopeView[];
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
      shown: view.shown,
      csrf: view.csrf,
      request: view.request,
      action: view.action,
    },
  );
}
