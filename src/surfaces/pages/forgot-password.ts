import type { operations } from '../../../generated/pages.ts';
import { askForReset, resetForm } from '../../domain/password-reset/ask.ts';
import type { Handlers } from '../../http/operation.ts';
import { browserState } from '../../pages/cookies.ts';
import { pageHeaders } from '../../pages/failure-page.ts';
import { formAction, pageLink } from '../../pages/links.ts';
import { forgotPasswordPage, resetSentPage } from '../../pages/views.ts';
import type { Services } from '../../services.ts';
import { bindForm } from './bind-form.ts';

type Operations = Pick<operations, 'showForgotPassword' | 'askForReset' | 'showResetSent'>;
type Needs = Pick<Services, 'store' | 'clock' | 'random' | 'vault' | 'limits' | 'resetMails'>;

/** A link for a new password, by e-mail. */
export function forgottenPassword(services: Needs): Handlers<Operations> {
  return {
    /** GET /forgot-password: the form; the browser gets what binds it to the form. */
    showForgotPassword: async ({ query, origin }, respond) => {
      const { csrf, headers } = bindForm(services, origin, resetForm);
      const view = { accountName: origin.account.name, csrf, request: query?.request ?? '' };
      return respond(200, forgotPasswordPage(view), headers);
    },

    /** POST /forgot-password: 303 onward whatever the name is, or 422 with the form again where there is none. */
    askForReset: async ({ body, origin: { account, cookies, source } }, respond) => {
      const browser = browserState(account, cookies, resetForm);
      const asked = { name: body.username ?? '', source };
      const request = body.request ?? '';
      if (await askForReset(services, account, browser, body.csrf, asked)) {
        const location = request === '' ? formAction('showResetSent') : pageLink('showResetSent', request);
        return respond(303, undefined, { location });
      }
      const form = forgotPasswordPage({ accountName: account.name, csrf: body.csrf ?? '', request, missing: true });
      return respond(422, form, pageHeaders());
    },

    /** GET /forgot-password/sent: where to look for the link. */
    showResetSent: async ({ query, origin: { account } }, respond) =>
      respond(200, resetSentPage({ accountName: account.name, request: query?.request ?? '' }), pageHeaders()),
  };
}
