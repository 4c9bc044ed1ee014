import type { PolicyRecord } from '../../store/records.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';

/** What a sign-in asks for after the first factor: nothing, a code of a device, or to enrol a device first. */
export type Demand = 'none' | 'verify' | 'enrol';

/** A user who has a device is always asked for it; one who has none, where the policy in force wants a second factor. */
export async function findDemand(
  { store }: { readonly store: Pick<StoreVerbs, 'secondFactors'> },
  account: Pick<Account, 'id'>,
  userId: number,
  policy: Pick<PolicyRecord, 'otpRequired'>,
): Promise<Demand> {
  const devices = await store.secondFactors.listDevices(account.id, userId);
  if (devices.length > 0) return 'verify';
  return policy.otpRequired ? 'enrol' : 'none';
}
