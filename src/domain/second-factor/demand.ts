import type { ClientRecord, PolicyRecord, UserRecord } from '../../store/records.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import { effectivePolicy } from '../policies/effective-policy.ts';

interface DemandServices {
  readonly store: Pick<StoreVerbs, 'secondFactors' | 'policies'>;
}

/** What a sign-in asks for after the first factor: nothing, a code of a device, or to enrol a device first. */
export type Demand = 'none' | 'verify' | 'enrol';

/** A user who has a device is always asked for it; one who has none, where the policy in force wants a second factor. */
export async function findDemand(
  { store }: Pick<DemandServices, 'store'>,
  account: Pick<Account, 'id'>,
  userId: number,
  policy: Pick<PolicyRecord, 'otpRequired'>,
): Promise<Demand> {
  const devices = await store.secondFactors.listDevices(account.id, userId);
  if (devices.length > 0) return 'verify';
  return policy.otpRequired ? 'enrol' : 'none';
}

/** Whether the password alone is not enough for a user, in an app or (null) in any: for doors that can ask nothing more. */
export async function needsSecondFactor(
  services: DemandServices,
  account: Pick<Account, 'id'>,
  user: Pick<UserRecord, 'id'>,
  client: Pick<ClientRecord, 'policyId'> | null,
): Promise<boolean> {
  const policy = await effectivePolicy(services, account, user, client);
  return (await findDemand(services, account, user.id, policy)) !== 'none';
}
