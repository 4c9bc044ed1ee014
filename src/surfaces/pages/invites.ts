import type { operations } from '../../../generated/pages.ts';
import type { Account } from '../../domain/accounts/account.ts';
import type { RunServices } from '../../domain/hooks/one-run.ts';
import { acceptInvite, findInvite, type OpenInvite } from '../../domain/login/invite.ts';
import type { PasswordProblem } from '../../domain/login/new-password.ts';
import { findSignedIn } from '../../domain/login/signed-in.ts';
import { fullName } from '../../domain/users/names.ts';
import type { Handlers } from '../../http/operation.ts';
import { browserState, setCookie } from '../../pages/cookies.ts';
import { pageHeaders } from '../../pages/failure-page.ts';
import { formAction, pageLink } from '../../pages/links.ts';
import { invitePage, passwordSavedPage, signedInPage } from '../../pages/views.ts';
import type { Services } from '../../services.ts';
import { done } from './account/entered.ts';
import { bindForm } from './bind-form.ts';

type InviteOperations = Pick<operations, 'showInvite' | 'acceptInvite' | 'showSignedIn'>;

/** The pages behind an invite link. */
export function invites(
  services: RunServices & Pick<Services, 'random' | 'passwords' | 'clientDocuments'>,
): Handlers<InviteOperations> {
  return {
    /** GET /password/reset: the form; the browser gets what binds it to the form. */
    showInvite: async ({ query, origin }, respond) => {
      const invite = await findInvite(services, origin.account, query?.token);
      const { csrf, headers } = bindForm(services, origin, invite.token);
      return respond(200, formOf(origin.account, csrf, invite), headers);
    },

    /**
     * POST /password/reset: 303 to the page of a signed-in user or to the second factor, 200 or 403 where nothing
     * opens, or 422 with the form again.
     */
    acceptInvite: async ({ body, headers, origin: { account, cookies, source, requestId } }, respond) => {
      const browser = browserState(account, cookies, body.token);
      const onward = {
        reset: done('showAccount', 'password_changed').location,
        invite: formAction('showSignedIn'),
      };
      const given = {
        password: body.new_password ?? '',
        confirmation: body.new_password_confirmation ?? '',
        onward,
        source,
        userAgent: headers['user-agent'],
      };
      const result = await acceptInvite(services, account, browser, body.csrf, given);
      switch (result.outcome) {
        case 'refused':
          return respond(422, formOf(account, body.csrf ?? '', result.invite, result.problem), pageHeaders());
        case 'saved':
          return respond(200, passwordSavedPage(account.name, result.kind), pageHeaders());
        case 'not_let_in':
          return respond(403, passwordSavedPage(account.name, 'not_let_in', requestId), pageHeaders());
        case 'halfway':
          return respond(303, undefined, {
            location: pageLink('continueAuthorization', result.requestId),
            'set-cookie': setCookie(account, 'tx', result.browserSecret),
          });
        case 'signed_in':
          return respond(303, undefined, {
            location: onward[result.kind],
            'set-cookie': [
              setCookie(account, 'sid', result.sessionSecret),
              setCookie(account, 'tx', result.browserSecret),
            ],
          });
      }
    },

    /** GET /signed-in: who is signed in. */
    showSignedIn: async ({ origin: { account, cookies } }, respond) => {
      const user = await findSignedIn(services, account, browserState(account, cookies, undefined));
      const names = { userName: fullName(user), userEmail: user.email ?? user.username ?? '' };
      return respond(200, signedInPage({ accountName: account.name, ...names }), pageHeaders());
    },
  };
}

function formOf(
  account: Account,
  csrf: string,
  { kind, token, user, policy }: OpenInvite,
  problem?: PasswordProblem,
): string {
  return invitePage({
    accountName: account.name,
    csrf,
    token,
    forgotten: kind === 'reset',
    username: user.email ?? user.username ?? '',
    minimumLength: policy.minimumPasswordLength,
    problem,
    action: formAction('acceptInvite'),
  });
}
