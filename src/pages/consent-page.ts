import { scopeIcon } from './icons.ts';
import { page, person, tile } from './page.ts';
import { closedInItself, isolated, webLink } from './text.ts';

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
  readonly api?: {
    readonly name: string;
    readonly resourceIdentifier: string;
    /** Not among the other scopes. */
    readonly scopes: readonly ScopeView[];
  };
  /** Names of other applications that may act for the user with what this one gets. */
  readonly mayAct?: readonly string[];
  /** The client registered itself. */
  readonly isUnchecked: boolean;
  /** The host of the metadata document by which the client is known, if it did not register. */
  readonly documentHost?: string | undefined;
  /** What the form says of the scopes of APIs that are shown. */
  readonly shown: string;
  readonly csrf: string;
  readonly request: string;
  readonly action: string;
}

/** More are told as others. */
const mostNamed = 10;

/** The consent page: one form with the buttons `decision=allow` and `decision=deny`, in this order. */
export function consentPage(view: ConsentView): string {
  const { mayAct = [] } = view;
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
      scopes: view.scopes.map(shownScope),
      api: view.api && {
        name: closedInItself(view.api.name),
        // An identifier need not be a web address.
        place: webLink(view.api.resourceIdentifier)?.host ?? closedInItself(view.api.resourceIdentifier),
        scopes: view.api.scopes.map(shownScope),
      },
      mayAct: mayAct.slice(0, mostNamed).map(closedInItself),
      mayActMore: mayAct.length > mostNamed,
      isUnchecked: view.isUnchecked,
      documentHost: view.documentHost && closedInItself(view.documentHost),
      shown: view.shown,
      csrf: view.csrf,
      request: view.request,
      action: view.action,
    },
  );
}

function shownScope({ name, title, description }: ScopeView) {
  return {
    icon: scopeIcon(name),
    title: closedInItself(title === '' ? name : title),
    description: closedInItself(description),
  };
}
