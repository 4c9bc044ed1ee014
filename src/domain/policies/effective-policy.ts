import type { ClientRecord } from '../../store/clients.ts';
import type { PolicyRecord } from '../../store/policies.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { UserRecord } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { Failure } from '../failure.ts';

/** What determines the policy in force; works inside a transaction too. */
interface PolicyServices {
  readonly store: Pick<StoreVerbs, 'policies'>;
}

/**
 * The policy in force. The order is the same everywhere, from the most specific to the most general: the user's own,
 * the app's, that of the first assigned role that names one, the account's default. A policy set for one user applies
 * in every app. The first role counts because roles are ordered by assignment everywhere.
 *
 * `client` is the app of the sign-in, or null for what applies to the user in every app: passwords and lockout. With
 * null for the user (an unknown name) it takes as much work as for a user.
 */
export async function effectivePolicy(
  { store }: PolicyServices,
  account: Pick<Account, 'id'>,
  user: Pick<UserRecord, 'id'> | null,
  client: Pick<ClientRecord, 'policyId'> | null,
): Promise<PolicyRecord> {
  return (await findPolicy({ store }, account, user, client)).policy;
}

/** The same, and whose policy it is: a policy that was removed meanwhile is nobody's. */
export async function findPolicy(
  { store }: PolicyServices,
  account: Pick<Account, 'id'>,
  user: Pick<UserRecord, 'id'> | null,
  client: Pick<ClientRecord, 'policyId'> | null,
): Promise<{ readonly policy: PolicyRecord; readonly of: 'user' | 'app' | 'role' | 'account' }> {
  const { policies, own, ofRole } = await store.policies.listFollowed(account.id, user?.id ?? 0);
  const policy = firstOf(policies, [own, client?.policyId, ofRole]);
  const followed = [
    ['user', own],
    ['app', client?.policyId],
    ['role', ofRole],
  ] as const;
  const [of = 'account', id] = followed.find(([, one]) => typeof one === 'number') ?? [];
  return { policy, of: policy.id === id ? of : 'account' };
}

/** The policy that a new user with these roles, and with or without a policy of their own, will have in every app. */
export async function policyOfNewUser(
  { store }: { readonly store: Pick<StoreVerbs, 'policies' | 'roles'> },
  account: Pick<Account, 'id'>,
  policyId: number | null | undefined,
  roleIds: readonly number[],
): Promise<PolicyRecord> {
  const ids = [policyId];
  // Roles that are assigned together are in the order of their ids.
  for (const id of [...roleIds].sort((one, other) => one - other)) {
    ids.push((await store.roles.find(account.id, id))?.policyId);
  }
  return firstOf(await store.policies.list(account.id), ids);
}

function firstOf(policies: readonly PolicyRecord[], ids: readonly (number | null | undefined)[]): PolicyRecord {
  const wanted = ids.find((id) => typeof id === 'number');
  const found = policies.find(({ id, isDefault }) => (wanted === undefined ? isDefault : id === wanted));
  // If the policy has just been removed, the default takes its place.
  const policy = found ?? policies.find(({ isDefault }) => isDefault);
  if (!policy) throw new Failure('internal', { reason: 'the account has no default policy' });
  return policy;
}
