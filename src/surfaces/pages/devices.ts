import type { operations } from '../../../generated/pages.ts';
import type { Account } from '../../domain/accounts/account.ts';
import { enterUserCode } from '../../domain/device/enter-code.ts';
import type { Handlers } from '../../http/operation.ts';
import { browserState, setCookie } from '../../pages/cookies.ts';
import { pageHeaders } from '../../pages/failure-page.ts';
import { formAction, pageLink } from '../../pages/links.ts';
import { deviceDonePage, devicePage, type UserCodeProblem } from '../../pages/views.ts';
import type { Services } from '../../services.ts';
import { bindForm } from './bind-form.ts';

type DeviceOperations = Pick<operations, 'showDevice' | 'enterUserCode' | 'showDeviceDone'>;

/** The purpose of the form's token while there is no sign-in. */
const formName = 'device';

/** Where a device without a browser is approved (RFC 8628 §3.3). */
export function devices(
  services: Pick<Services, 'store' | 'clock' | 'random' | 'vault' | 'limits'>,
): Handlers<DeviceOperations> {
  return {
    /** GET /device: the form; the browser gets what binds it to the form. */
    showDevice: async ({ query, origin }, respond) => {
      const { csrf, headers } = bindForm(services, origin, formName);
      return respond(200, formOf(origin.account, csrf, query?.user_code ?? ''), headers);
    },

    /** POST /device: 303 to the sign-in, or 422 with the form again. */
    enterUserCode: async ({ body, origin: { account, cookies, source } }, respond) => {
      const browser = browserState(account, cookies, formName);
      const userCode = body.user_code ?? '';
      const doneUri = formAction('showDeviceDone');
      const entered = await enterUserCode(services, account, browser, body.csrf, { userCode, source, doneUri });
      if (entered.outcome !== 'begun') {
        return respond(422, formOf(account, body.csrf ?? '', userCode, entered.outcome), pageHeaders());
      }
      return respond(303, undefined, {
        location: pageLink('continueAuthorization', entered.requestId),
        'set-cookie': setCookie(account, 'tx', entered.browserSecret),
      });
    },

    /** GET /device/done: says what became of it. */
    showDeviceDone: async ({ query, origin: { account } }, respond) => {
      const allowed = query?.outcome === 'allowed';
      return respond(200, deviceDonePage({ accountName: account.name, allowed }), pageHeaders());
    },
  };
}

function formOf({ name }: Account, csrf: string, userCode: string, problem?: UserCodeProblem): string {
  return devicePage({ accountName: name, csrf, userCode, problem, action: formAction('enterUserCode') });
}
