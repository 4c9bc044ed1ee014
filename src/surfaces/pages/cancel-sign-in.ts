import type { operations } from '../../../generated/pages.ts';
import { cancelSignIn as cancel } from '../../domain/login/cancel.ts';
import type { FinishServices } from '../../domain/login/finish.ts';
import type { Handler } from '../../http/operation.ts';
import { browserState } from '../../pages/cookies.ts';
import { formPost } from '../../pages/form-post.ts';

/** POST /cancel: 303 to the client with `access_denied`, or a page whose form takes it there. */
export function cancelSignIn(services: FinishServices): Handler<operations['cancelSignIn']> {
  return async ({ body, origin: { account, cookies } }, respond) => {
    const { request, csrf } = body;
    const answer = await cancel(services, account, browserState(account, cookies, request), csrf);
    if (answer.by === 'redirect') return respond(303, undefined, { location: answer.location });
    return respond(200, ...formPost(account, answer));
  };
}
