import type { Account } from '../../domain/accounts/account.ts';
import { displayName } from '../../domain/clients/represent-metadata.ts';
import type { BrowserState } from '../../domain/login/authorization-request.ts';
import type { DueFactor } from '../../domain/login/pending.ts';
import type { FactorProblem } from '../../domain/login/second-factor.ts';
import type { FactorWays } from '../../domain/login/second-passkey.ts';
import type { Setup } from '../../domain/second-factor/enrolments.ts';
import type { CodeProblem } from '../../domain/second-factor/offers.ts';
import { formAction, pageLink } from '../../pages/links.ts';
import { enrolmentPage, recoveryCodesPage, secondFactorPage } from '../../pages/views.ts';
import { type FormPage, formPage, formView, shownLogo } from './represent.ts';

function factorView(account: Account, browser: BrowserState, { request, user }: DueFactor) {
  return { ...formView(account, browser, request), username: user.email ?? user.username ?? '' };
}

/** The forms for a second factor; `recovery`: the form for a recovery code was sent. */
export function representSecondFactor(
  account: Account,
  browser: BrowserState,
  due: DueFactor,
  ways: FactorWays,
  { problem, recovery = false }: { readonly problem?: FactorProblem; readonly recovery?: boolean } = {},
): FormPage {
  const html = secondFactorPage({
    ...factorView(account, browser, due),
    ...{ ...ways, problem, recovery, action: formAction('giveSecondFactor') },
    passkeyAction: formAction('giveSecondPasskey'),
  });
  return formPage(due.request, html, ways.passkeyOptions !== null);
}

/** The key of a device to be enrolled, and the form for its first code. */
export function representEnrolment(
  account: Account,
  browser: BrowserState,
  due: DueFactor,
  { secret, url }: Setup,
  problem?: CodeProblem,
): FormPage {
  const html = enrolmentPage({
    ...factorView(account, browser, due),
    ...{ secret, url, problem, action: formAction('enrolSecondFactor') },
  });
  return formPage(due.request, html);
}

/** New recovery codes, and a link to continue. */
export function representRecoveryCodes(
  account: Account,
  { request }: DueFactor,
  codes: readonly string[],
  requestId: string,
): FormPage {
  const html = recoveryCodesPage({
    accountName: account.name,
    appName: displayName(request.client),
    logoUri: shownLogo(request.client),
    codes,
    next: pageLink('continueAuthorization', requestId),
  });
  return formPage(request, html);
}
