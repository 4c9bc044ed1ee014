import type { operations } from '../../../generated/pages.ts';
import { cancelSignIn as cancel } from '../../domain/login/cancel.ts';
import type { FinishServices } from '../../domain/login/finish.ts';
import type { Handler } from '../../http/operation.ts';
import { browserState } from '../../pages/cookies.ts';
import { deliver } from '../../pages/deliver.ts';

/** POST /cancel: 303 to the client with `access_denied`, or a page whose form takes it there. */
export function cancelSignIn(services: FinishServices): Handler<operations['cancelSignIn']> {
  return async ({ body, origin: { account, cookies } }, respond) => {
    const { request, csrf } = body;
    const answer = await cancel(services, account, browserState(account, cookies, request), csrf);
    const delivery = deliver(account, answer);
    return 'location' in delivery ? respond(303, undefined, delivery) : respond(200, ...delivery.page);
  };
}
