import type { operations } from '../../../../generated/pages.ts';
import type { Account } from '../../../domain/accounts/account.ts';
import { Failure } from '../../../domain/failure.ts';
import type { Visit } from '../../../domain/own-account/enter.ts';
import {
  addPasskey,
  listOwnPasskeys,
  type PasskeyOutcome,
  type PasskeyProblem,
  removePasskey,
  renamePasskey,
} from '../../../domain/own-account/passkeys.ts';
import { fullName } from '../../../domain/users/names.ts';
import type { Handlers } from '../../../http/operation.ts';
import { setCookie } from '../../../pages/cookies.ts';
import { pageHeaders } from '../../../pages/failure-page.ts';
import { formAction } from '../../../pages/links.ts';
import { passkeysPage } from '../../../pages/views.ts';
import type { Services } from '../../../services.ts';
import { done, numberOf, visit, visitByForm } from './entered.ts';

type Operations = Pick<operations, 'showPasskeys' | 'addPasskey' | 'changePasskey'>;
type Needs = Pick<Services, 'store' | 'clock' | 'random' | 'vault' | 'limits' | 'passkeys'>;

/** The page asks the browser for a passkey. */
const headers = pageHeaders({ script: true });

/** A user's own passkeys; all of these pages need a recent sign-in. */
export function ownPasskeys(services: Needs): Handlers<Operations> {
  async function pageOf(
    account: Account,
    visit: Visit,
    shown: { problem?: PasskeyProblem; done?: string | undefined },
  ) {
    const { user, csrf } = visit;
    return passkeysPage({
      accountName: account.name,
      userName: fullName(user),
      userEmail: user.email ?? user.username ?? '',
      ...(await listOwnPasskeys(services, account, visit)),
      ...{ csrf, ...shown },
    });
  }

  return {
    /** GET /account/passkeys */
    showPasskeys: async ({ query, origin }, respond) => {
      const entered = await visit(services, origin, 'showPasskeys', true);
      if (!entered.visit) return respond(303, undefined, { ...entered.onward });
      return respond(200, await pageOf(origin.account, entered.visit, { done: query?.done }), headers);
    },

    /** POST /account/passkeys: 303 to the list, or 422 with the page again. */
    addPasskey: async ({ body, origin }, respond) => {
      const { account } = origin;
      const entered = await visitByForm(services, origin, body.csrf, 'showPasskeys', true);
      if (!entered.visit) return respond(303, undefined, { ...entered.onward });
      const given = { answer: body.credential ?? '', name: body.name ?? '' };
      const result = await addPasskey(services, account, entered.visit, given);
      if (result.outcome === 'refused') {
        return respond(422, await pageOf(account, entered.visit, { problem: result.problem }), headers);
      }
      const cookie = { 'set-cookie': setCookie(account, 'sid', result.sessionSecret) };
      return respond(303, undefined, { ...done('showPasskeys', 'passkey_added'), ...cookie });
    },

    /** POST /account/passkeys/change: 303 to the list, or 422 with the page again. */
    changePasskey: async ({ body, origin }, respond) => {
      const { account } = origin;
      const entered = await visitByForm(services, origin, body.csrf, 'showPasskeys', true);
      if (!entered.visit) return respond(303, undefined, { ...entered.onward });
      const { change, word } = changes[readChange(body.change)];
      const problem = await orGone(change(services, account, entered.visit, numberOf(body.passkey), body.name ?? ''));
      if (problem === 'gone') return respond(303, undefined, { location: formAction('showPasskeys') });
      if (problem === null) return respond(303, undefined, done('showPasskeys', word));
      return respond(422, await pageOf(account, entered.visit, { problem }), headers);
    },
  };
}

const changes = {
  rename: { change: renamePasskey, word: 'passkey_renamed' },
  remove: { change: removePasskey, word: 'passkey_removed' },
} as const;

/** The pressed button. Throws `parameter_missing` for an unknown one. */
function readChange(pressed: string | undefined): keyof typeof changes {
  if (pressed === 'rename' || pressed === 'remove') return pressed;
  throw new Failure('parameter_missing', { name: 'change', message: 'change must be rename or remove' });
}

/** It was removed in another window meanwhile: the list shows that. */
async function orGone(changed: Promise<PasskeyOutcome>): Promise<PasskeyOutcome | 'gone'> {
  try {
    return await changed;
  } catch (error) {
    if (error instanceof Failure && error.code === 'not_found') return 'gone';
    throw error;
  }
}
