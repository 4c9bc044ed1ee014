import type { Account } from '../../src/domain/accounts/account.ts';
import type { Services } from '../../src/services.ts';
import type { Follower } from '../../src/store/policies.ts';

/** Sets the policy of a user, a role or an app without what a change of them does besides; null for none. */
export function assignPolicy(
  { store }: Pick<Services, 'store'>,
  { id }: Pick<Account, 'id'>,
  follower: Follower,
  policyId: number | null,
): Promise<boolean> {
  return store.policies.assign(id, follower, policyId);
}
