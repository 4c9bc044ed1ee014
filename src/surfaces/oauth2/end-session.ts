import type { operations } from '../../../generated/oauth2.ts';
import { beginSignOut, type SignOutQuery } from '../../domain/sign-out/request.ts';
import type { Handler, Origin, ReplyHeaders } from '../../http/operation.ts';
import { browserState, setCookie } from '../../pages/cookies.ts';
import { pageLink } from '../../pages/links.ts';
import type { Services } from '../../services.ts';

type Needs = Pick<Services, 'store' | 'clock' | 'random' | 'vault' | 'signer'>;

/** GET /oauth2/logout (OpenID Connect RP-Initiated Logout 1.0 §2): 303 to our page. */
export function endSession(services: Needs): Handler<operations['endSession']> {
  return async ({ query, origin }, respond) => respond(303, undefined, await begin(services, origin, query ?? {}));
}

/** POST /oauth2/logout: the same from a form. Cookies come with the redirect, not with a form of another site. */
export function endSessionByForm(services: Needs): Handler<operations['endSessionByForm']> {
  return async ({ body, origin }, respond) => respond(303, undefined, await begin(services, origin, body ?? {}));
}

async function begin(services: Needs, { account, cookies }: Origin, query: SignOutQuery): Promise<ReplyHeaders> {
  const { browserSecret } = browserState(account, cookies, undefined);
  const begun = await beginSignOut(services, account, query, browserSecret);
  return {
    location: pageLink('showSignOut', begun.requestId),
    'set-cookie': setCookie(account, 'tx', begun.browserSecret),
  };
}
