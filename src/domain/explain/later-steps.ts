/** What a sign-in decides once the first factor is right: hooks, policy, factors, age of the password, consent. */

import type { PolicyRecord } from '../../store/policies.ts';
import { userStatuses } from '../../store/users.ts';
import { type Decided, decidePreAuthentication } from '../hooks/decide.ts';
import { findDue, type Way } from '../login/due.ts';
import { codeMethods, passkeyMethods, passwordMethods, withSecondFactor } from '../login/methods.ts';
import { findPolicy } from '../policies/effective-policy.ts';
import { closedWords, findClosedCodes } from '../second-factor/closed-codes.ts';
import {
  asks,
  type Cause,
  type ExplainServices,
  type Known,
  named,
  passes,
  type Remedy,
  refuses,
  type Step,
  type StepName,
  skipped,
} from './steps.ts';

interface HooksTold {
  readonly step: Step;
  /** The policy that they chose. */
  readonly chosen: PolicyRecord | null;
}

/** Runs the hooks as a sign-in would, with the user's context; what they answer has no effect. */
export async function hooksStep(services: ExplainServices, known: Known): Promise<HooksTold> {
  const { account, user, client, question } = known;
  const signingIn = {
    user,
    client,
    username: user.email ?? user.username ?? '',
    source: question.method === 'delegated' ? null : question.address,
    browser: { userAgent: question.method === 'delegated' ? null : question.userAgent },
    isTest: true,
  };
  const decided = await decidePreAuthentication(services, account, signingIn);
  return { step: tellHooks(known, decided), chosen: decided.refused ? null : decided.chosen };
}

function tellHooks({ account, user }: Known, { ran, events, refused }: Decided): Step {
  if (ran === 0) return passes('hooks', 'no_hook', 'No pre-authentication hook runs for this user.');
  const event = events.findLast(({ action }) => action !== 'hook.policy_chosen');
  if (!event) return passes('hooks', 'hooks_passed', `${ran} hooks ran, and none refuses the sign-in.`);
  const { hook_id: uuid, reason } = event.detail as { readonly hook_id: string; readonly reason?: string };
  const remedy: Remedy = { by: 'disable_hook', uuid };
  if (event.action === 'hook.sign_in_refused') {
    const message = `The function of the hook ${uuid} answers {success: false} for ${named(user)}.`;
    return refuses('hooks', 'hook_refused', message, remedy);
  }
  const cause = reason === 'timeout' ? 'hook_timed_out' : 'hook_failed';
  const how = reason === 'timeout' ? 'does not answer in time' : `fails (${reason})`;
  const policy = `the account has hook_failure=${account.settings.hookFailure}`;
  return refused
    ? refuses('hooks', cause, `The function of the hook ${uuid} ${how}, and the sign-in is refused: ${policy}.`, remedy)
    : passes('hooks', cause, `The function of the hook ${uuid} ${how}, and the sign-in goes on: ${policy}.`, remedy);
}

const policyCauses = {
  user: 'policy_of_user',
  app: 'policy_of_app',
  role: 'policy_of_role',
  account: 'policy_of_account',
} as const satisfies Record<string, Cause>;

/** Which policy is in force, and whose it is. */
export async function policyStep(
  { store }: ExplainServices,
  { account, user, client }: Known,
  chosen: PolicyRecord | null,
): Promise<Step> {
  const { policy, of } = await findPolicy({ store }, account, user, client);
  const rules = (one: PolicyRecord) =>
    `${one.name} (policy ${one.id}): a second factor is ${one.otpRequired ? '' : 'not '}demanded, passwords ` +
    (one.passwordExpirationDays === null ? 'never expire.' : `expire after ${one.passwordExpirationDays} days.`);
  if (chosen) return passes('policy', 'policy_of_hook', `A hook chooses ${rules(chosen)}`);
  const whose = {
    user: "It is the user's own.",
    app: "It is the app's.",
    role: "It is a role's.",
    account: 'It is the default.',
  };
  const message = `In force is ${rules(policy)} ${whose[of]}`;
  return passes('policy', policyCauses[of], message, releaseOf(of, client));
}

/** Not of a role: the change would concern all of its users. */
function releaseOf(of: keyof typeof policyCauses, client: Known['client']): Remedy | null {
  if (of === 'user') return { by: 'release_policy', of };
  return of === 'app' ? { by: 'release_policy', of, id: client.appId } : null;
}

/** How the user would have authenticated so far. */
function methodsOfQuestion({ question }: Known): readonly string[] {
  // Whether its key can be copied does not matter for what is due.
  return question.method === 'passkey' ? passkeyMethods({ backupEligible: true }) : passwordMethods;
}

/** The second factor and the age of the password, by what a sign-in would ask for. */
export async function dueSteps(
  services: ExplainServices,
  known: Known,
  way: Way,
  methods = methodsOfQuestion(known),
): Promise<readonly Step[]> {
  const { account, user } = known;
  const due = await findDue(services, account, way, user, methods);
  if (due.due === 'refused') return [notReached('second_factor'), notReached('password_age')];
  const isFactor = due.due === 'second_factor' || due.due === 'enrolment';
  const next = isFactor ? await findDue(services, account, way, user, withSecondFactor(methods, codeMethods)) : due;
  const closed = due.due === 'second_factor' && hasPage(known) ? await closedFactorStep(services, known) : null;
  return [
    closed ?? factorStep(known, due.due, due.policy, methods),
    next.due === 'new_password'
      ? stop(
          known,
          'password_age',
          'new_password_due',
          `The password of ${named(user)} has expired: a new one is asked for.`,
          expiryRemedy(next.policy),
        )
      : passes('password_age', 'password_current', 'No new password is asked for.'),
  ];

  function expiryRemedy(policy: PolicyRecord): Remedy {
    // A status says so, or the date of the password.
    return user.status === userStatuses.passwordExpired
      ? { by: 'activate_user' }
      : { by: 'change_policy', policyId: policy.id, rule: 'expiration' };
  }
}

/** Where a second factor is asked for, but no code is checked for some time; null where codes are checked. */
export async function closedFactorStep(services: ExplainServices, { account, user }: Known): Promise<Step | null> {
  const closed = await findClosedCodes(services, account, user.id);
  if (closed === null) return null;
  const message = `After too many wrong codes no code of ${named(user)} is checked ${closedWords(closed)}.`;
  const outcome = closed.hasPasskey ? asks : refuses;
  return outcome('second_factor', 'second_factor_closed', message, { by: 'unlock_user' });
}

function factorStep(known: Known, due: string, policy: PolicyRecord, methods: readonly string[]): Step {
  const { user } = known;
  if (due === 'second_factor') {
    const message = `${named(user)} is asked for a code or a passkey as a second factor.`;
    const remedy: Remedy | null = policy.otpRequired
      ? { by: 'change_policy', policyId: policy.id, rule: 'otp_required' }
      : null;
    return stop(known, 'second_factor', 'second_factor_due', message, remedy);
  }
  if (due === 'enrolment') {
    const message = `The policy ${policy.name} (${policy.id}) demands a second factor, and ${named(user)} has none.`;
    return stop(known, 'second_factor', 'second_factor_missing', message, { by: 'register_factor' });
  }
  return methods.includes('mfa')
    ? passes('second_factor', 'second_factor_shown', 'What is shown counts as two factors.')
    : passes('second_factor', 'no_second_factor_demanded', 'No second factor is asked for.');
}

function hasPage({ question: { method } }: Known): boolean {
  return method !== 'delegated' && method !== 'password_grant';
}

/** Where there is no page, what would be asked for is a refusal. */
function stop(known: Known, step: StepName, cause: Cause, message: string, remedy: Remedy | null): Step {
  return hasPage(known)
    ? asks(step, cause, message, remedy)
    : refuses(step, cause, `${message} This door has no page for it.`, remedy);
}

export function notReached(step: StepName): Step {
  return skipped(step, 'refused_before', 'Not reached: an earlier step refuses.');
}
