import type { Services } from '../../services.ts';
import type { PolicyRecord, SessionRecord, UserRecord } from '../../store/records.ts';
import type { Account } from '../accounts/account.ts';
import type { Failure } from '../failure.ts';
import { isRecent } from '../means/recent.ts';
import { effectivePolicy } from '../policies/effective-policy.ts';
import { type Demand, findDemand } from '../second-factor/demand.ts';
import { mustReplacePassword } from '../users/set-password.ts';
import type { OpenRequest } from './authorization-request.ts';
import { isMultiFactor, passwordMethods } from './methods.ts';
import { policyOfSignIn } from './policy-of-sign-in.ts';
import { afterReplacing, findStandingFailure } from './standing.ts';

/** A second factor is due: a device of the user's, or one to begin with. */
export interface DueFactor {
  readonly step: 'second_factor' | 'enrolment';
  readonly request: OpenRequest;
  readonly user: UserRecord;
  /** How the user has shown who they are until now. */
  readonly methods: readonly string[];
  /** The session that is to be worth more; null while there is none. */
  readonly session: SessionRecord | null;
}

/** A new password is due. */
export interface DueReplacing {
  readonly step: 'new_password';
  readonly request: OpenRequest;
  readonly user: UserRecord;
  readonly methods: readonly string[];
  /** Whose rules the new password keeps. */
  readonly policy: PolicyRecord;
}

/** The user's standing has stopped the sign-in meanwhile. */
export interface Stopped {
  readonly step: 'refused';
  readonly request: OpenRequest;
  readonly user: UserRecord;
  readonly failure: Failure;
}

/** A sign-in between the right password and its end. */
export type Pending = DueFactor | DueReplacing | Stopped;

type PendingServices = Pick<Services, 'store' | 'clock'>;

/** What a sign-in asks for beside the first factor, by its policy and by the application's own wish (`acr_values`). */
export function demandOfSignIn(
  services: Pick<Services, 'store'>,
  account: Account,
  { record }: OpenRequest,
  user: UserRecord,
  { otpRequired }: PolicyRecord,
): Promise<Demand> {
  const wanted = otpRequired || record.parameters.secondFactor === true;
  return findDemand(services, account, user.id, { otpRequired: wanted });
}

/**
 * What is due in a request whose user gave the right password in this browser: the second factor, then a new password.
 * Null when nothing is, also when somebody else replaced the password since: who knew the former one knows nothing then.
 */
export async function findPending(
  services: PendingServices,
  account: Account,
  request: OpenRequest,
): Promise<Pending | null> {
  const { passwordUserId, passwordCheckedAt } = request.record;
  if (passwordUserId === null || passwordCheckedAt === null) return null;
  const user = await services.store.users.find(account.id, passwordUserId);
  if (!user || (user.passwordChangedAt ?? 0) > passwordCheckedAt) return null;
  const failure = await findStandingFailure(services.store, afterReplacing(user), request.client);
  if (failure) return { step: 'refused', request, user, failure };
  // One that an older release kept had given the password, and nothing else was asked for.
  const methods = request.record.methods ?? passwordMethods;
  if (!isMultiFactor(methods)) {
    const inForce = await policyOfSignIn(services, account, request, user);
    const demand = await demandOfSignIn(services, account, request, user, inForce);
    if (demand !== 'none') return { step: stepOf(demand), request, user, methods, session: null };
  }
  const policy = await effectivePolicy(services, account, user, null);
  return mustReplacePassword(user, policy, services.clock.now())
    ? { step: 'new_password', request, user, methods, policy }
    : null;
}

/**
 * What a session lacks for an application that wants a second factor: to show one, to begin with one, or, where that takes
 * a newer session, another sign-in. Null when it is worth enough.
 */
export async function findStepUp(
  services: PendingServices,
  account: Account,
  request: OpenRequest,
  session: SessionRecord,
  user: UserRecord,
): Promise<DueFactor | 'sign_in' | null> {
  if (isMultiFactor(session.amr)) return null;
  const { otpRequired } = await policyOfSignIn(services, account, request, user);
  // A user who enrolled since is asked at the next sign-in, not here.
  if (!otpRequired && request.record.parameters.secondFactor !== true) return null;
  const demand = await findDemand(services, account, user.id, { otpRequired: true });
  // Whoever finds a browser that was signed in some time ago does not make themselves a factor of the user's.
  if (demand !== 'verify' && !isRecent(session, services.clock.now())) return 'sign_in';
  return { step: demand === 'verify' ? 'second_factor' : 'enrolment', request, user, methods: session.amr, session };
}

function stepOf(demand: Exclude<Demand, 'none'>): DueFactor['step'] {
  switch (demand) {
    case 'verify':
      return 'second_factor';
    case 'enrol':
      return 'enrolment';
  }
}
