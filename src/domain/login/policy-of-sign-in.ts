import type { PolicyRecord, UserRecord } from '../../store/records.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import { firePreAuthentication } from '../hooks/fire.ts';
import type { RunServices } from '../hooks/run-hook.ts';
import { effectivePolicy } from '../policies/effective-policy.ts';
import type { OpenRequest } from './authorization-request.ts';
import type { PasswordAttempt } from './check-password.ts';

/**
 * The policy in force for a sign-in: the one that a hook chose for this user in this request, else the one that is in
 * force in the app. One that was removed since is none.
 */
export async function policyOfSignIn(
  { store }: { readonly store: Pick<StoreVerbs, 'policies'> },
  account: Account,
  { record, client }: OpenRequest,
  user: Pick<UserRecord, 'id'>,
): Promise<PolicyRecord> {
  const { hookPolicyId, hookPolicyUserId } = record;
  if (hookPolicyId !== null && hookPolicyUserId === user.id) {
    const chosen = (await store.policies.list(account.id)).find(({ id }) => id === hookPolicyId);
    if (chosen) return chosen;
  }
  return effectivePolicy({ store }, account, user, client);
}

/**
 * Fires the hooks of a sign-in whose password was right, once, and keeps with the request what they chose for all that
 * follows. Answers the request as it stands then. Throws `sign_in_refused`.
 */
export async function fireForRequest(
  services: RunServices,
  account: Account,
  request: OpenRequest,
  user: UserRecord,
  attempt: PasswordAttempt,
): Promise<OpenRequest> {
  const { record, client } = request;
  const inForce = await effectivePolicy(services, account, user, client);
  const chosen = await firePreAuthentication(services, account, signingIn(user, client, attempt), inForce);
  const hookPolicyId = chosen?.id ?? null;
  // A sign-in before this one, in the same request, may have chosen one.
  if (hookPolicyId === null && record.hookPolicyId === null) return request;
  await services.store.authorizations.choosePolicy(account.id, record.digest, user.id, hookPolicyId);
  const hookPolicyUserId = hookPolicyId === null ? null : user.id;
  return { client, record: { ...record, hookPolicyId, hookPolicyUserId } };
}

/** A sign-in as hooks see it. */
export function signingIn(user: UserRecord, client: OpenRequest['client'], attempt: PasswordAttempt) {
  const { username, source, userAgent } = attempt;
  return { user, client, username, source, device: { userAgent: userAgent ?? null } };
}
