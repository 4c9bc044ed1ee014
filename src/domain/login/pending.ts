import type { Services } from '../../services.ts';
import type { PolicyRecord } from '../../store/policies.ts';
import type { SessionRecord } from '../../store/sessions.ts';
import type { UserRecord } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import type { Failure } from '../failure.ts';
import { isRecent } from '../means/recent.ts';
import { isUnanswered, type OpenRequest } from './authorization-request.ts';
import { findDue, lacksSecondFactor, wayOf } from './due.ts';
import { isOfLink, passwordMethods } from './methods.ts';
import { recordRefusal } from './standing.ts';

/** A second factor is due: a code or passkey of the user's, or the enrolment of a first device. */
export interface DueFactor {
  readonly step: 'second_factor' | 'enrolment';
  readonly request: OpenRequest;
  readonly user: UserRecord;
  /** How the user has authenticated so far. */
  readonly methods: readonly string[];
  /** The session to raise; null if there is none yet. */
  readonly session: SessionRecord | null;
}

/** A new password is due. */
export interface DueReplacing {
  readonly step: 'new_password';
  readonly request: OpenRequest;
  readonly user: UserRecord;
  readonly methods: readonly string[];
  /** The policy that the new password must satisfy. */
  readonly policy: PolicyRecord;
}

/** The user's standing has stopped the sign-in meanwhile. */
interface Stopped {
  readonly step: 'refused';
  readonly request: OpenRequest;
  readonly user: UserRecord;
  readonly methods: readonly string[];
  readonly failure: Failure;
}

/** The state of a sign-in between the right password and its end. */
export type Pending = DueFactor | DueReplacing | Stopped;

type PendingServices = Pick<Services, 'store' | 'clock'>;

/**
 * What is due in a request whose user gave the right password in this browser: the second factor, then a new password.
 * Null when nothing is due. Also null when the password was replaced since, or when everything that the user had begun
 * was ended: knowing the former password proves nothing any more.
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
  // In a request that an older release stored, the user had given the password and nothing else was asked for.
  const methods = request.record.methods ?? passwordMethods;
  const found = await findDue(services, account, wayOf(request, user), user, methods);
  switch (found.due) {
    case 'refused':
      return { step: 'refused', request, user, methods, failure: found.failure };
    case 'second_factor':
      return { step: 'second_factor', request, user, methods, session: null };
    case 'enrolment':
      // A link proves access to the mailbox only: that does not allow enrolling a second factor.
      return isOfLink(methods) ? null : { step: 'enrolment', request, user, methods, session: null };
    case 'new_password':
      return { step: 'new_password', request, user, methods, policy: found.policy };
    case 'nothing':
      return null;
  }
}

/**
 * What a session lacks for an application that requires a second factor: giving one, enrolling a first one, or signing
 * in again if enrolment needs a newer session. Null when it lacks nothing. `policy`: the one in force in the app.
 */
export async function findStepUp(
  services: PendingServices,
  account: Account,
  request: OpenRequest,
  session: SessionRecord,
  user: UserRecord,
  policy: () => Promise<PolicyRecord>,
): Promise<DueFactor | 'sign_in' | null> {
  const step = await lacksSecondFactor(services, account, wayOf(request, user), user, session.amr, policy);
  // An old session cannot enrol: anyone at a browser that was left open could add a factor of their own.
  if (step === 'enrolment' && !isRecent(session, services.clock.now())) return 'sign_in';
  return step && { step, request, user, methods: session.amr, session };
}

/**
 * Refuses the form of a user who may not continue: ends the request, records the refusal, and throws it. Recorded by
 * exactly one caller: the form may be sent without end, and a later one finds no request.
 */
export async function refuseStopped(
  services: Pick<Services, 'store' | 'clock' | 'vault'>,
  account: Account,
  { request, user, methods, failure }: Stopped,
): Promise<never> {
  const { record, client } = request;
  // Nothing is stored for a browser in which nobody has authenticated for this request: it could begin without end.
  if (!isUnanswered(record)) {
    await services.store.transaction(async (tx) => {
      if (!(await tx.authorizations.finishRequest(record))) return;
      await recordRefusal({ ...services, store: tx }, account, user, client, methods, failure.code);
    });
  }
  throw failure;
}
