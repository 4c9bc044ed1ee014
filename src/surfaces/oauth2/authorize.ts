import type { operations } from '../../../generated/oauth2.ts';
import { type AuthorizationQuery, beginAuthorization } from '../../domain/login/authorize.ts';
import type { Handler, Origin, ReplyHeaders } from '../../http/operation.ts';
import { browserState, setCookie } from '../../pages/cookies.ts';
import { pageLink } from '../../pages/links.ts';
import type { Services } from '../../services.ts';

type Needs = Pick<Services, 'store' | 'clock' | 'random'>;

/** GET /oauth2/authorize (RFC 6749 §4.1.1): 303 to our next page, or to the client with an error. */
export function authorize(services: Needs): Handler<operations['authorize']> {
  return async ({ query, origin }, respond) => respond(303, undefined, await begin(services, origin, query ?? {}));
}

/** POST /oauth2/authorize: the same from a form (OpenID Connect Core §3.1.2.1). */
export function authorizeByForm(services: Needs): Handler<operations['authorizeByForm']> {
  return async ({ body, origin }, respond) => respond(303, undefined, await begin(services, origin, body));
}

async function begin(services: Needs, { account, cookies }: Origin, query: AuthorizationQuery): Promise<ReplyHeaders> {
  const { browserSecret } = browserState(account, cookies, undefined);
  const begun = await beginAuthorization(services, account, query, browserSecret);
  if (begun.outcome === 'refused') return { location: begun.location };
  return {
    location: pageLink('continueAuthorization', begun.requestId),
    'set-cookie': setCookie(account, 'tx', begun.browserSecret),
  };
}
