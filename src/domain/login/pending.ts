import type { Services } from '../../services.ts';
import type { PolicyRecord } from '../../store/policies.ts';
import type { SessionRecord } from '../../store/sessions.ts';
import type { UserRecord } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import type { Failure } from '../failure.ts';
import { isRecent } from '../means/recent.ts';
import type { OpenRequest } from './authorization-request.ts';
import { findDue, lacksSecondFactor, wayOf } from './due.ts';
import { isOfLink, passwordMethods } from './methods.ts';

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

/**
 * What is due in a request whose user gave the right password in this browser: the second factor, then a new password.
 * Null when nothing is, also when somebody replaced the password since, or ended all that the user had begun: who knew the
 * former one knows nothing then.
 */
export async function findPending(
  services: PendingServices,
  account: Account,
  request: OpenRequest,
): Promise<Pending | null> {
  const { passwordUserId, passwordCheckedAt } = request.record;
  if (passwordUserId === null || passwordCheckedAt === null) return null;
  const user = await services.store.users.find(account.id, passwordUserId);
  if (!user || Math.max(user.passwordChangedAt ?? 0, user.signedOutAt ?? 0) > passwordCheckedAt) return null;
  // One that an older release kept had given the password, and nothing else was asked for.
  const methods = request.record.methods ?? passwordMethods;
  const found = await findDue(services, account, wayOf(request, user), user, methods);
  switch (found.due) {
    case 'refused':
      return { step: 'refused', request, user, failure: found.failure };
    case 'second_factor':
      return { step: 'second_factor', request, user, methods, session: null };
    case 'enrolment':
      // A link shows the mailbox alone: who holds that gets no second factor of their own choice.
      return isOfLink(methods) ? null : { step: 'enrolment', request, user, methods, session: null };
    case 'new_password':
      return { step: 'new_password', request, user, methods, policy: found.policy };
    case 'nothing':
      return null;
  }
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
  const step = await lacksSecondFactor(services, account, wayOf(request, user), user, session.amr);
  // An old session enrols nothing: anyone at a browser that was left open could add a factor of their own.
  if (step === 'enrolment' && !isRecent(session, services.clock.now())) return 'sign_in';
  return step && { step, request, user, methods: session.amr, session };
}
