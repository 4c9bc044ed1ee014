import type { operations } from '../../../generated/pages.ts';
import type { Account } from '../../domain/accounts/account.ts';
import { Failure } from '../../domain/failure.ts';
import {
  addPasskey,
  listOwnPasskeys,
  type PasskeyProblem,
  removePasskey,
  renamePasskey,
} from '../../domain/passkeys/own-passkeys.ts';
import { findOwner, type Owner, recentMinutes } from '../../domain/passkeys/owner.ts';
import { fullName } from '../../domain/users/names.ts';
import type { Handlers } from '../../http/operation.ts';
import { browserState } from '../../pages/cookies.ts';
import { pageHeaders } from '../../pages/failure-page.ts';
import { formAction } from '../../pages/links.ts';
import { passkeysPage, signInAgainPage } from '../../pages/views.ts';
import type { Services } from '../../services.ts';

type Needs = Pick<Services, 'store' | 'clock' | 'random' | 'vault' | 'passkeys'>;

async function pageOf(services: Needs, account: Account, owner: Owner, problem?: PasskeyProblem): Promise<string> {
  const { user, csrf } = owner;
  return passkeysPage({
    accountName: account.name,
    userName: fullName(user),
    userEmail: user.email ?? user.username ?? '',
    ...(await listOwnPasskeys(services, account, owner)),
    csrf,
    problem,
    addAction: formAction('addPasskey'),
    changeAction: formAction('changePasskey'),
  });
}

function signInAgain({ name }: Account): string {
  return signInAgainPage({ accountName: name, minutes: recentMinutes });
}

/** A user's own passkeys: seen, added, named anew and removed soon after a sign-in. */
export function passkeys(services: Needs): Handlers<Pick<operations, 'showPasskeys' | 'addPasskey' | 'changePasskey'>> {
  const withScript = pageHeaders({ script: true });
  const done = { location: formAction('showPasskeys') };
  return {
    /** GET /account/passkeys */
    showPasskeys: async ({ origin: { account, cookies } }, respond) => {
      const owner = await findOwner(services, account, browserState(account, cookies, undefined));
      if (!owner) return respond(403, signInAgain(account), pageHeaders());
      return respond(200, await pageOf(services, account, owner), withScript);
    },

    /** POST /account/passkeys: 303 to the list, or 422 with the page again. */
    addPasskey: async ({ body, origin: { account, cookies } }, respond) => {
      const browser = browserState(account, cookies, undefined);
      const given = { answer: body.credential ?? '', name: body.name ?? '' };
      const result = await addPasskey(services, account, browser, body.csrf, given);
      switch (result.outcome) {
        case 'done':
          return respond(303, undefined, done);
        case 'sign_in_needed':
          return respond(403, signInAgain(account), pageHeaders());
        case 'refused':
          return respond(422, await pageOf(services, account, result.owner, result.problem), withScript);
      }
    },

    /** POST /account/passkeys/change: 303 to the list, or 422 with the page again. */
    changePasskey: async ({ body, origin: { account, cookies } }, respond) => {
      const browser = browserState(account, cookies, undefined);
      const given = { deviceId: Number(body.passkey ?? ''), name: body.name ?? '' };
      const result = await changeOf(body.change)(services, account, browser, body.csrf, given);
      switch (result.outcome) {
        case 'done':
          return respond(303, undefined, done);
        case 'sign_in_needed':
          return respond(403, signInAgain(account), pageHeaders());
        case 'refused':
          return respond(422, await pageOf(services, account, result.owner, result.problem), withScript);
      }
    },
  };
}

/** The button that was pressed. Throws `parameter_missing` for none that there is. */
function changeOf(change: string | undefined): typeof renamePasskey {
  switch (change) {
    case 'rename':
      return renamePasskey;
    case 'remove':
      return removePasskey;
    default:
      throw new Failure('parameter_missing', { name: 'change', message: 'The form does not say what to change.' });
  }
}
