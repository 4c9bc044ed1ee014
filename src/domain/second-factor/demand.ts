import type { PolicyRecord } from '../../store/policies.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import { makesCodes } from './kinds.ts';

/** What a sign-in asks for after the password: nothing, a device, or to enrol one first. */
export type Demand = 'none' | 'verify' | 'enrol';

/**
 * A user who has a device that makes codes is always asked for one; who has passkeys alone, or nothing, where the policy
 * in force wants a second factor. A passkey is a sign-in of its own, and having one closes no other: there are browsers
 * that cannot show it.
 */
export async function findDemand(
  { store }: { readonly store: Pick<StoreVerbs, 'secondFactors'> },
  account: Pick<Account, 'id'>,
  userId: number,
  policy: Pick<PolicyRecord, 'otpRequired'>,
): Promise<Demand> {
  const devices = await store.secondFactors.listDevices(account.id, userId);
  if (devices.some(makesCodes)) return 'verify';
  if (!policy.otpRequired) return 'none';
  return devices.length > 0 ? 'verify' : 'enrol';
}
