import type { ClientRecord } from '../../store/clients.ts';
import type { PolicyRecord } from '../../store/policies.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { UserRecord } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { Failure } from '../failure.ts';

/** What decides which policy is in force; a transaction's verbs do as well. */
interface PolicyServices {
  readonly store: Pick<StoreVerbs, 'policies'>;
}

/**
 * The policy in force. One order everywhere, from the narrowest word to the widest: the user's own, the app's, that of
 * the user's first assigned role that names one, the account's default. What was said about one person holds
 * wherever they go, and the first role counts because the order of assignment is the one that roles have everywhere.
 *
 * `client` is the app signed in to, null for what is the user's in every app: passwords and lockout. With null for
 * the user (a name that nobody has) it takes as much work as for one.
 */
export async function effectivePolicy(
  { store }: PolicyServices,
  account: Pick<Account, 'id'>,
  user: Pick<UserRecord, 'id'> | null,
  client: Pick<ClientRecord, 'policyId'> | null,
): Promise<PolicyRecord> {
  const policies = await store.policies.list(account.id);
  const { own, ofRole } = await store.policies.followedBy(account.id, user?.id ?? 0);
  return firstOf(policies, [own, client?.policyId, ofRole]);
}

/** What it will be, in every app, for a user who is made with a policy of their own or none, and with these roles. */
export async function policyOfNewUser(
  { store }: { readonly store: Pick<StoreVerbs, 'policies' | 'roles'> },
  account: Pick<Account, 'id'>,
  policyId: number | null | undefined,
  roleIds: readonly number[],
): Promise<PolicyRecord> {
  const ids = [policyId];
  // Roles that are assigned at once are in the order of their ids.
  for (const id of [...roleIds].sort((one, other) => one - other)) {
    ids.push((await store.roles.find(account.id, id))?.policyId);
  }
  return firstOf(await store.policies.list(account.id), ids);
}

function firstOf(policies: readonly PolicyRecord[], ids: readonly (number | null | undefined)[]): PolicyRecord {
  const wanted = ids.find((id) => typeof id === 'number');
  const found = policies.find(({ id, isDefault }) => (wanted === undefined ? isDefault : id === wanted));
  // One that was removed a moment ago is followed by nobody; the default takes its place.
  const policy = found ?? policies.find(({ isDefault }) => isDefault);
  if (!policy) throw new Failure('internal', { reason: 'the account has no default policy' });
  return policy;
}
