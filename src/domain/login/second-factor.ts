import type { Services } from '../../services.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import { Failure } from '../failure.ts';
import { admit } from '../opening/admit.ts';
import type { MoreShown } from '../opening/evidence.ts';
import { openRaisedSession } from '../opening/open.ts';
import { useCode } from '../second-factor/check-code.ts';
import { addDevice, type Setup, setupOf } from '../second-factor/enrolments.ts';
import { acceptOffer, type CodeProblem, type Offer, offer } from '../second-factor/offers.ts';
import { giveRecoveryCodes } from '../second-factor/recovery-codes.ts';
import { digestOf, newSecret } from '../secrets.ts';
import { type BrowserState, findOpenRequest, requireCsrf } from './authorization-request.ts';
import { countFailures } from './count-failures.ts';
import { currentStep, notDue } from './current-step.ts';
import { wayOf } from './due.ts';
import { codeMethods, withSecondFactor } from './methods.ts';
import { type DueFactor, refuseStopped } from './pending.ts';
import { type Advanced, goOn } from './sign-in.ts';

type FactorServices = Pick<Services, 'store' | 'clock' | 'random' | 'vault' | 'totp' | 'limits' | 'clientDocuments'>;

/** The field of both forms. */
interface GivenCode {
  readonly code: string;
  /** The address that the form came from. */
  readonly source: string;
}

/** What is wrong with a code or a passkey. */
export type FactorProblem = CodeProblem | 'passkey';

export type SecondFactorResult =
  | Advanced
  /** The code is wrong or was used before, or codes are closed: one answer for all. */
  | { readonly outcome: 'refused'; readonly due: DueFactor; readonly problem: FactorProblem };

type EnrolmentResult =
  | {
      readonly outcome: 'enrolled';
      readonly due: DueFactor;
      readonly next: Advanced;
      readonly codes: readonly string[];
    }
  | { readonly outcome: 'refused'; readonly due: DueFactor; readonly problem: CodeProblem };

/**
 * Takes a code of a device or a recovery code, then signs the user in or raises the session. Browser secret, session
 * and CSRF token change. Throws `authorization_request_invalid` when no code is due, `cross_site_request`,
 * `rate_limited`, and the refusals of the user's standing.
 */
export async function giveSecondFactor(
  services: FactorServices,
  account: Account,
  browser: BrowserState,
  csrf: string | undefined,
  { code, source }: GivenCode,
): Promise<SecondFactorResult> {
  const due = await requireDue(services, account, browser, csrf, 'second_factor');
  if (code === '') return { outcome: 'refused', due, problem: 'missing' };
  const attempt = { code, deviceId: null, actor: { type: 'user', id: due.user.id } } as const;
  const advanced = await countFailures(services.limits, account, source, () =>
    useCode(services, account, due.user, attempt, (tx) => advance(services, tx, account, browser, due, codeMethods)),
  );
  return advanced ?? { outcome: 'refused', due, problem: 'wrong' };
}

function offered(services: Pick<Services, 'vault'>, account: Account, { request, user }: DueFactor): Offer {
  return offer(services, account, 'second factor', `${request.record.digest} ${user.id}`);
}

/** The contents of the enrolment page. */
export function enrolmentSetup(services: Pick<Services, 'vault' | 'totp'>, account: Account, due: DueFactor): Setup {
  return setupOf(services, account, due.user, offered(services, account, due).seed);
}

/**
 * Enrols the device that the code belongs to, creates recovery codes, and continues as `giveSecondFactor` does. The
 * seed is shown on the page, so a code is not a guess and is not counted. Throws as `giveSecondFactor` does.
 */
export async function enrolSecondFactor(
  services: FactorServices,
  account: Account,
  browser: BrowserState,
  csrf: string | undefined,
  { code }: Pick<GivenCode, 'code'>,
): Promise<EnrolmentResult> {
  const due = await requireDue(services, account, browser, csrf, 'enrolment');
  const { id } = due.user;
  const actor = { type: 'user', id } as const;
  const device = acceptOffer(services, offered(services, account, due), code, actor);
  if (typeof device === 'string') return { outcome: 'refused', due, problem: device };
  const enrolled = services.store.transaction(async (tx) => {
    // Locked before the devices are read: of two browsers that enrol at once only one may find none.
    await tx.users.lock(account.id, id);
    // Another browser may have enrolled first: from then on a code of that device is required.
    if ((await tx.secondFactors.listDevices(account.id, id)).length > 0) throw notDue('second factor');
    await addDevice(services, tx, account, id, device);
    const codes = await giveRecoveryCodes(services, tx, account, id, actor);
    const next = await advance(services, tx, account, browser, due, codeMethods);
    return { outcome: 'enrolled', due, next, codes } as const;
  });
  return enrolled.catch((error: unknown) => {
    throw error instanceof Failure && error.code === 'conflict' ? notDue('second factor') : error;
  });
}

/** The second factor that is due in the browser's request, if the form belongs to the current step. */
export async function requireDue(
  services: Pick<Services, 'store' | 'clock' | 'vault' | 'clientDocuments'>,
  account: Account,
  browser: BrowserState,
  csrf: string | undefined,
  step: DueFactor['step'],
): Promise<DueFactor> {
  await findOpenRequest(services, account, browser);
  requireCsrf(browser, csrf);
  const current = await currentStep(services, account, browser);
  if (current.step === 'refused') return refuseStopped(services, account, current);
  if ((current.step === 'second_factor' || current.step === 'enrolment') && current.step === step) return current;
  throw notDue('second factor');
}

/** Continues after the second factor; part of the transaction that uses it up. */
export async function advance(
  services: Pick<Services, 'clock' | 'random' | 'vault'>,
  tx: StoreVerbs,
  account: Account,
  browser: BrowserState,
  { request, user, methods: former, session }: DueFactor,
  shown: readonly string[],
): Promise<Advanced> {
  const methods = withSecondFactor(former, shown);
  const checkedAt = request.record.passwordCheckedAt ?? services.clock.now();
  const evidence: MoreShown = { by: 'second_factor', user, checkedAt, methods, session };
  const reached = await admit(services, tx, account, evidence, wayOf(request, user));
  // The password may have been replaced, the user locked, or the session ended meanwhile.
  if (reached.at === 'outdated' || reached.at === 'refused') throw notDue('second factor');
  if (session === null) return goOn(services, tx, account, browser, request, evidence, reached);
  if (reached.at !== 'end' || reached.session === null) throw notDue('second factor');
  const browserSecret = newSecret(services.random, '');
  const sessionSecret = await openRaisedSession(services, tx, account, reached, methods);
  await tx.authorizations.signIn(request.record, null, digestOf(browserSecret));
  return { outcome: 'signed_in', sessionSecret, browserSecret };
}
