import type { operations } from '../../../generated/pages.ts';
import { decideConsent as decide } from '../../domain/login/decide-consent.ts';
import type { Handler } from '../../http/operation.ts';
import { browserState } from '../../pages/cookies.ts';
import { pageLink } from '../../pages/links.ts';
import type { Services } from '../../services.ts';

/** POST /consent: keeps the decision, 303 onward. */
export function decideConsent(
  services: Pick<Services, 'store' | 'clock' | 'vault' | 'limits' | 'clientDocuments'>,
): Handler<operations['decideConsent']> {
  return async ({ body, origin: { account, cookies } }, respond) => {
    const { request, csrf, decision, shown } = body;
    await decide(services, account, browserState(account, cookies, request), { csrf, decision, shown });
    return respond(303, undefined, { location: pageLink('continueAuthorization', request ?? '') });
  };
}
