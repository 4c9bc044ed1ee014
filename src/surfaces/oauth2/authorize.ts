import type { operations } from '../../../generated/oauth2.ts';
import type { SentQuery } from '../../domain/login/authorization-query.ts';
import { type AuthorizeServices, beginAuthorization } from '../../domain/login/authorize.ts';
import type { Handler, Origin } from '../../http/operation.ts';
import { browserState, setCookie } from '../../pages/cookies.ts';
import { type Delivery, deliver } from '../../pages/deliver.ts';
import { pageLink } from '../../pages/links.ts';

/**
 * GET /oauth2/authorize (RFC 6749 §4.1.1): 303 to our next page, or to the client with what it asked for or an error,
 * which may also go by a page.
 */
export function requestAuthorization(services: AuthorizeServices): Handler<operations['requestAuthorization']> {
  return async ({ query, origin }, respond) => {
    const next = await begin(services, origin, query ?? {});
    return 'location' in next ? respond(303, undefined, next) : respond(200, ...next.page);
  };
}

/** POST /oauth2/authorize: the same from a form (OpenID Connect Core §3.1.2.1). */
export function requestAuthorizationByForm(
  services: AuthorizeServices,
): Handler<operations['requestAuthorizationByForm']> {
  return async ({ body, origin }, respond) => {
    const next = await begin(services, origin, body);
    return 'location' in next ? respond(303, undefined, next) : respond(200, ...next.page);
  };
}

type Next = Delivery | { readonly location: string; readonly 'set-cookie': string };

async function begin(services: AuthorizeServices, { account, cookies }: Origin, query: SentQuery): Promise<Next> {
  const begun = await beginAuthorization(services, account, query, browserState(account, cookies, undefined));
  if (begun.outcome === 'begun') {
    return {
      location: pageLink('continueAuthorization', begun.requestId),
      'set-cookie': setCookie(account, 'tx', begun.browserSecret),
    };
  }
  return deliver(account, begun.answer);
}
