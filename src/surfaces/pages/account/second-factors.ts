import type { operations } from '../../../../generated/pages.ts';
import type { Account } from '../../../domain/accounts/account.ts';
import { Failure } from '../../../domain/failure.ts';
import type { Visit } from '../../../domain/own-account/enter.ts';
import {
  addFactor,
  listFactors,
  ownSetup,
  removeFactor,
  renewCodes,
} from '../../../domain/own-account/second-factors.ts';
import { canAddDevice } from '../../../domain/second-factor/devices.ts';
import type { Handlers } from '../../../http/operation.ts';
import { setCookie } from '../../../pages/cookies.ts';
import { formAction } from '../../../pages/links.ts';
import { enrolmentPage, factorsPage, recoveryCodesPage } from '../../../pages/views.ts';
import type { Services } from '../../../services.ts';
import { challenged } from '../represent.ts';
import { done, numberOf, visit, visitByForm } from './entered.ts';

type Operations = Pick<
  operations,
  'showSecondFactors' | 'showNewSecondFactor' | 'addSecondFactor' | 'removeSecondFactor' | 'renewRecoveryCodes'
>;
type Needs = Pick<Services, 'store' | 'clock' | 'random' | 'vault' | 'limits' | 'totp'>;

const list = { location: formAction('showSecondFactors') };

/** A user's second factors; each of these pages needs a recent sign-in. */
export function ownSecondFactors(services: Needs): Handlers<Operations> {
  function keyPage(account: Account, { csrf, ...visit }: Visit, problem?: 'wrong' | 'missing') {
    const { user } = visit;
    return enrolmentPage({
      accountName: account.name,
      appName: account.name,
      csrf,
      request: '',
      own: list.location,
      username: user.email ?? user.username ?? '',
      ...ownSetup(services, account, visit),
      problem,
      action: formAction('addSecondFactor'),
    });
  }

  function codesPage({ name }: Account, codes: readonly string[], renewed: boolean) {
    return recoveryCodesPage({ accountName: name, appName: name, codes, next: list.location, renewed });
  }

  return {
    /** GET /account/second-factors: the devices. */
    showSecondFactors: async ({ query, origin }, respond) => {
      const { account } = origin;
      const entered = await visit(services, origin, 'showSecondFactors', true);
      if (!entered.visit) return respond(303, undefined, { ...entered.onward });
      const { user, csrf } = entered.visit;
      const { devices, recoveryCodesLeft: codesLeft, canAdd } = await listFactors(services, account, user);
      const view = { accountName: account.name, csrf, done: query?.done, devices, codesLeft, canAdd };
      return respond(200, factorsPage(view), entered.headers);
    },

    /** GET /account/second-factors/new: the key of a new device. */
    showNewSecondFactor: async ({ origin }, respond) => {
      const { account } = origin;
      const entered = await visit(services, origin, 'showNewSecondFactor', true);
      if (!entered.visit) return respond(303, undefined, { ...entered.onward });
      const { user } = entered.visit;
      const canAdd = await canAddDevice(services.store, account, user.id, services.clock.now());
      if (!canAdd) return respond(303, undefined, list);
      return respond(200, keyPage(account, entered.visit), entered.headers);
    },

    /** POST /account/second-factors/new: the recovery codes, or 303 to the devices, or 401 with the form again. */
    addSecondFactor: async ({ body, origin }, respond) => {
      const { account } = origin;
      const entered = await visitByForm(services, origin, body.csrf, 'showNewSecondFactor', true);
      if (!entered.visit) return respond(303, undefined, { ...entered.onward });
      const result = await addFactor(services, account, entered.visit, body.otp ?? '');
      if (result.outcome === 'refused') {
        const form = keyPage(account, entered.visit, result.problem);
        return respond(401, ...challenged([form, entered.headers]));
      }
      const cookie = { 'set-cookie': setCookie(account, 'sid', result.sessionSecret) };
      // In the response itself: they are stored as digests, so no later page can show them.
      if (result.codes) return respond(200, codesPage(account, result.codes, false), { ...entered.headers, ...cookie });
      return respond(303, undefined, { ...done('showSecondFactors', 'device_added'), ...cookie });
    },

    /** POST /account/second-factors/remove: 303 to the devices. */
    removeSecondFactor: async ({ body, origin }, respond) => {
      const entered = await visitByForm(services, origin, body.csrf, 'showSecondFactors', true);
      if (!entered.visit) return respond(303, undefined, { ...entered.onward });
      await removeFactor(services, origin.account, entered.visit, numberOf(body.device_id));
      return respond(303, undefined, done('showSecondFactors', 'device_removed'));
    },

    /** POST /account/recovery-codes: the new codes. */
    renewRecoveryCodes: async ({ body, origin }, respond) => {
      const { account } = origin;
      const entered = await visitByForm(services, origin, body.csrf, 'showSecondFactors', true);
      if (!entered.visit) return respond(303, undefined, { ...entered.onward });
      try {
        const codes = await renewCodes(services, account, entered.visit);
        return respond(200, codesPage(account, codes, true), entered.headers);
      } catch (error) {
        // The last device was removed in another window meanwhile.
        if (error instanceof Failure && error.code === 'not_found') return respond(303, undefined, list);
        throw error;
      }
    },
  };
}
