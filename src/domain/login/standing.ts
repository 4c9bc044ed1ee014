import type { Services } from '../../services.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { StoreVerbs } from '../../store/store.ts';
import { type UserRecord, userStatuses } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import { hasRow, isConsole } from '../clients/console-client.ts';
import { isUnstored } from '../clients/document-client.ts';
import { displayName } from '../clients/represent-metadata.ts';
import { Failure } from '../failure.ts';
import { refusalByStatus } from '../users/user-status.ts';
import { isOwnPages } from './own-pages.ts';

/** What access is read from. */
export type AccessVerb = 'access' | 'roles' | 'administrators';

type AppClient = Pick<ClientRecord, 'appId' | 'name' | 'clientId'>;

/** Why the user may not use the account at all: `user_locked`, `user_suspended`, `user_inactive`, or null. */
export function findStatusFailure(user: Pick<UserRecord, 'status'>): Failure | null {
  const refusal = refusalByStatus(user.status);
  return refusal && new Failure(refusal);
}

/**
 * The user as they will be after replacing an expired password: other obstacles are reported before that is asked for.
 */
export function afterReplacing(user: UserRecord): UserRecord {
  return user.status === userStatuses.passwordExpired ? { ...user, status: userStatuses.active } : user;
}

/**
 * Why the user may not use the app, or null. The user must be active, and the app must be assigned to the user or to
 * one of their roles (the document's §1.2), else `access_not_assigned`. The console is for administrators, else
 * `administrator_required`.
 */
export async function findStandingFailure(
  store: Pick<StoreVerbs, AccessVerb>,
  account: Pick<Account, 'settings'>,
  user: UserRecord,
  client: AppClient,
): Promise<Failure | null> {
  const failure = findStatusFailure(user);
  if (failure || isOwnPages(client)) return failure;
  if (isConsole(client)) {
    const administrator = await store.administrators.find(user.accountId, user.id);
    return administrator ? null : new Failure('administrator_required');
  }
  if (await isAssigned(store, account, user, client)) return null;
  return new Failure('access_not_assigned', { value: displayName(client) });
}

/** A client that has no row yet is open to the users of the roles that it will get with one. */
async function isAssigned(
  { access, roles }: Pick<StoreVerbs, 'access' | 'roles'>,
  { settings }: Pick<Account, 'settings'>,
  { accountId, id }: UserRecord,
  client: AppClient,
): Promise<boolean> {
  if (!isUnstored(client)) return access.isAssigned(accountId, client.appId, id);
  const { documentRoles } = settings;
  if (documentRoles.length === 0) return false;
  return (await roles.ofUser(accountId, id)).some(({ name }) => documentRoles.includes(name));
}

/** What the trail records as the target of a sign-in. */
export function signedInTo(client: Pick<ClientRecord, 'appId' | 'clientId'>) {
  if (isOwnPages(client)) return { method: 'account' } as const;
  return hasRow(client) ? { app_id: client.appId } : { client_id: client.clientId };
}

/**
 * Records the refusal of a user who authenticated by `methods`, and throws it. `reason`: what the trail says if it says
 * more than the answer.
 */
export async function refuseSignIn(
  services: Pick<Services, 'store' | 'clock' | 'vault'>,
  account: Account,
  user: Pick<UserRecord, 'id'>,
  client: AppClient,
  methods: readonly string[],
  failure: Failure,
  reason: string = failure.code,
): Promise<never> {
  // A hook's refusal was recorded where the hook ran.
  if (failure.code !== 'sign_in_refused') await recordRefusal(services, account, user, client, methods, reason);
  throw failure;
}

/** Records that a user whose first factor was right was not signed in. */
export async function recordRefusal(
  services: Pick<Services, 'clock' | 'vault'> & { readonly store: Pick<StoreVerbs, 'events'> },
  account: Account,
  { id }: Pick<UserRecord, 'id'>,
  client: Pick<ClientRecord, 'appId' | 'clientId'>,
  methods: readonly string[],
  reason: string,
): Promise<void> {
  const about = { type: 'user', id } as const;
  const detail = { reason, ...signedInTo(client), methods };
  await recordEvent(services.store, services, account, {
    action: 'sign_in.refused',
    actor: about,
    target: about,
    detail,
  });
}

/** Why a right first factor opened nothing: it was changed before the sign-in ended. */
export const changedMeanwhile = 'changed_meanwhile';
