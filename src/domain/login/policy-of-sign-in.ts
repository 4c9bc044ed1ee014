import type { PolicyRecord, UserRecord } from '../../store/records.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import { firePreAuthentication } from '../hooks/fire.ts';
import type { RunServices } from '../hooks/run-hook.ts';
import { rememberSignIn } from '../hooks/sign-in-history.ts';
import { effectivePolicy } from '../policies/effective-policy.ts';
import type { OpenRequest } from './authorization-request.ts';
import type { PasswordAttempt } from './check-password.ts';

/** What hooks see of an attempt. */
export type SeenAttempt = Pick<PasswordAttempt, 'username' | 'source' | 'userAgent'>;

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
 * Fires the hooks of a sign-in whose first factor was right, once, and keeps with the request what they chose for all that
 * follows. Answers the request as it stands then. Throws `sign_in_refused`.
 */
export async function fireForRequest(
  services: RunServices,
  account: Account,
  request: OpenRequest,
  user: UserRecord,
  attempt: SeenAttempt,
): Promise<OpenRequest> {
  const { record, client } = request;
  const inForce = await effectivePolicy(services, account, user, client);
  const { chosen, traits } = await firePreAuthentication(services, account, signingIn(user, client, attempt), inForce);
  // A sign-in before this one, in the same request, may have left something.
  if (chosen === null && traits === null && record.hookPolicyUserId === null) return request;
  const fired = { hookPolicyId: chosen?.id ?? null, hookPolicyUserId: user.id, hookTraits: traits };
  await services.store.authorizations.keepFiring(record, fired);
  return { client, record: { ...record, ...fired } };
}

/** Remembers a sign-in that has come to its end, where hooks ask for the risk; part of a transaction. */
export async function rememberFired(
  tx: StoreVerbs,
  account: Account,
  { record }: OpenRequest,
  user: Pick<UserRecord, 'id'>,
): Promise<void> {
  if (record.hookTraits === null || record.hookPolicyUserId !== user.id) return;
  await rememberSignIn(tx, account, user.id, record.hookTraits);
}

/** A sign-in as hooks see it. */
export function signingIn(user: UserRecord, client: OpenRequest['client'], attempt: SeenAttempt) {
  const { username, source, userAgent } = attempt;
  return { user, client, username, source, device: { userAgent: userAgent ?? null } };
}
