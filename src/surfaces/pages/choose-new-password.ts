import type { operations } from '../../../generated/pages.ts';
import { chooseNewPassword as choose } from '../../domain/login/new-password.ts';
import type { Handler } from '../../http/operation.ts';
import { browserState } from '../../pages/cookies.ts';
import { pageLink } from '../../pages/links.ts';
import type { Services } from '../../services.ts';
import { representNewPassword, setCookies } from './represent.ts';

/** POST /new-password: 303 onward, or 422 with the form again. */
export function chooseNewPassword(
  services: Pick<Services, 'store' | 'clock' | 'random' | 'passwords' | 'vault' | 'clientDocuments'>,
): Handler<operations['chooseNewPassword']> {
  return async ({ body, origin: { account, cookies } }, respond) => {
    const browser = browserState(account, cookies, body.request);
    const given = { password: body.new_password ?? '', confirmation: body.new_password_confirmation ?? '' };
    const result = await choose(services, account, browser, body.csrf, given);
    if (result.outcome === 'refused') {
      const { due, problem } = result;
      return respond(422, ...representNewPassword(account, browser, due, problem));
    }
    return respond(303, undefined, {
      location: pageLink('continueAuthorization', body.request ?? ''),
      'set-cookie': setCookies(account, result),
    });
  };
}
