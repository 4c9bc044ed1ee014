import type { operations } from '../../../../generated/pages.ts';
import type { Account } from '../../../domain/accounts/account.ts';
import { listApps } from '../../../domain/own-account/apps.ts';
import {
  type ChangeProblem,
  changePassword as change,
  passwordPolicy,
} from '../../../domain/own-account/change-password.ts';
import type { Visit } from '../../../domain/own-account/enter.ts';
import { listSessions } from '../../../domain/own-account/sessions.ts';
import { listDevices } from '../../../domain/second-factor/devices.ts';
import { makesCodes } from '../../../domain/second-factor/kinds.ts';
import { fullName } from '../../../domain/users/names.ts';
import type { Handlers } from '../../../http/operation.ts';
import { accountPage, passwordChangePage } from '../../../pages/views.ts';
import type { Services } from '../../../services.ts';
import { challenged } from '../represent.ts';
import { done, visit, visitByForm } from './entered.ts';

type Operations = Pick<operations, 'showAccount' | 'showPasswordChange' | 'changePassword'>;
type Needs = Pick<Services, 'store' | 'clock' | 'random' | 'passwords' | 'limits' | 'vault'>;

/** The overview of the account, and the password. */
export function overview(services: Needs): Handlers<Operations> {
  async function passwordForm(account: Account, { user, csrf }: Visit, problem?: ChangeProblem, endOthers = true) {
    const policy = await passwordPolicy(services, account, { user });
    return passwordChangePage({
      accountName: account.name,
      csrf,
      username: user.email ?? user.username ?? '',
      minimumLength: policy.minimumPasswordLength,
      endOthers,
      problem,
    });
  }

  return {
    /** GET /account: who is signed in, and the parts of the account. */
    showAccount: async ({ query, origin }, respond) => {
      const { account } = origin;
      const entered = await visit(services, origin, 'showAccount');
      if (!entered.visit) return respond(303, undefined, { ...entered.onward });
      const { user } = entered.visit;
      const devices = await listDevices(services, account, user.id);
      const codeDevices = devices.filter(makesCodes).length;
      const view = {
        accountName: account.name,
        userName: fullName(user),
        userEmail: user.email ?? user.username ?? '',
        done: query?.done,
        passwordChangedAt: user.passwordChangedAt,
        devices: codeDevices,
        passkeys: devices.length - codeDevices,
        sessions: (await listSessions(services, account, user)).length,
        apps: (await listApps(services, account, user)).length,
      };
      return respond(200, accountPage(view), entered.headers);
    },

    /** GET /account/password: the form. */
    showPasswordChange: async ({ origin }, respond) => {
      const entered = await visit(services, origin, 'showPasswordChange', true);
      if (!entered.visit) return respond(303, undefined, { ...entered.onward });
      return respond(200, await passwordForm(origin.account, entered.visit), entered.headers);
    },

    /** POST /account/password: 303 to the overview, or 401 or 422 with the form again. */
    changePassword: async ({ body, origin }, respond) => {
      const { account, source } = origin;
      const entered = await visitByForm(services, origin, body.csrf, 'showPasswordChange', true);
      if (!entered.visit) return respond(303, undefined, { ...entered.onward });
      const endOthers = body.end_others !== undefined;
      const result = await change(services, account, entered.visit, {
        current: body.current_password ?? '',
        password: body.new_password ?? '',
        confirmation: body.new_password_confirmation ?? '',
        endOthers,
        source,
      });
      if (result.outcome === 'changed') return respond(303, undefined, done('showAccount', 'password_changed'));
      const form = await passwordForm(account, entered.visit, result.problem, endOthers);
      return result.problem === 'wrong'
        ? respond(401, ...challenged([form, entered.headers]))
        : respond(422, form, entered.headers);
    },
  };
}
