import type { Services } from '../../services.ts';
import type { PolicyRecord, UserRecord } from '../../store/records.ts';
import type { Account } from '../accounts/account.ts';
import type { Failure } from '../failure.ts';
import { effectivePolicy } from '../policies/effective-policy.ts';
import { mustReplacePassword } from '../users/set-password.ts';
import type { OpenRequest } from './authorization-request.ts';
import { afterReplacing, findStandingFailure } from './standing.ts';

/** A sign-in that waits for a new password, or that the user's standing has stopped meanwhile. */
export type Replacing =
  | {
      readonly step: 'new_password';
      readonly request: OpenRequest;
      readonly user: UserRecord;
      /** Whose rules the new password keeps. */
      readonly policy: PolicyRecord;
    }
  | {
      readonly step: 'refused';
      readonly request: OpenRequest;
      readonly user: UserRecord;
      readonly failure: Failure;
    };

/**
 * Whether a new password is due in a request: its user gave the right one in this browser, and that one still has to be
 * replaced. Null otherwise, also when somebody else replaced it since: who knew the former one knows nothing then.
 */
export async function findReplacing(
  services: Pick<Services, 'store' | 'clock'>,
  account: Account,
  request: OpenRequest,
): Promise<Replacing | null> {
  const { passwordUserId, passwordCheckedAt } = request.record;
  if (passwordUserId === null || passwordCheckedAt === null) return null;
  const user = await services.store.users.find(account.id, passwordUserId);
  if (!user || (user.passwordChangedAt ?? 0) > passwordCheckedAt) return null;
  const failure = await findStandingFailure(services.store, afterReplacing(user), request.client);
  if (failure) return { step: 'refused', request, user, failure };
  const policy = await effectivePolicy(services, account, user, null);
  return mustReplacePassword(user, policy, services.clock.now())
    ? { step: 'new_password', request, user, policy }
    : null;
}
