import type { Services } from '../../services.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { StoreVerbs } from '../../store/store.ts';
import { type UserRecord, userStatuses } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import { displayName } from '../clients/represent-metadata.ts';
import { Failure } from '../failure.ts';
import { refusalByStatus } from '../users/user-status.ts';
import { isOwnPages } from './own-pages.ts';

type AppClient = Pick<ClientRecord, 'appId' | 'name' | 'clientId'>;

/** Why the user may not use the account at all: `user_locked`, `user_suspended`, `user_inactive`, or null. */
export function findStatusFailure(user: Pick<UserRecord, 'status'>): Failure | null {
  const refusal = refusalByStatus(user.status);
  return refusal && new Failure(refusal);
}

/** The user as they will stand once an expired password is replaced: what else is wrong is said before that is asked for. */
export function afterReplacing(user: UserRecord): UserRecord {
  return user.status === userStatuses.passwordExpired ? { ...user, status: userStatuses.active } : user;
}

/**
 * Why the user may not use the app, or null. The user must be active, and the app assigned to the user or to a role of
 * the user (the document's §1.2): else `access_not_assigned`.
 */
export async function findStandingFailure(
  { access }: Pick<StoreVerbs, 'access'>,
  user: UserRecord,
  client: AppClient,
): Promise<Failure | null> {
  const failure = findStatusFailure(user);
  if (failure || isOwnPages(client) || (await access.isAssigned(user.accountId, client.appId, user.id))) return failure;
  return new Failure('access_not_assigned', { value: displayName(client) });
}

/** Where a sign-in leads, as the trail tells it. */
export function signedInTo(client: Pick<ClientRecord, 'appId'>) {
  return isOwnPages(client) ? ({ method: 'account' } as const) : { app_id: client.appId };
}

/** Tells the trail of the refusal of somebody whose password was right, and throws it; `reason` where the trail says more than the answer. */
export async function refuseSignIn(
  services: Pick<Services, 'store' | 'clock' | 'vault'>,
  account: Account,
  user: Pick<UserRecord, 'id'>,
  client: AppClient,
  failure: Failure,
  reason: string = failure.code,
): Promise<never> {
  // Of a hook's refusal the trail was told where the hook ran.
  if (failure.code !== 'sign_in_refused') await recordRefusal(services, account, user, client, reason);
  throw failure;
}

/** Tells the trail that somebody whose first factor was right does not come in. */
export async function recordRefusal(
  services: Pick<Services, 'store' | 'clock' | 'vault'>,
  account: Account,
  { id }: Pick<UserRecord, 'id'>,
  client: Pick<ClientRecord, 'appId'>,
  reason: string,
): Promise<void> {
  const about = { type: 'user', id } as const;
  const detail = { reason, ...signedInTo(client) };
  await recordEvent(services.store, services, account, {
    action: 'sign_in.refused',
    actor: about,
    target: about,
    detail,
  });
}

/** Why a right first factor opened nothing: what it showed was changed before the sign-in came to its end. */
export const changedMeanwhile = 'changed_meanwhile';
