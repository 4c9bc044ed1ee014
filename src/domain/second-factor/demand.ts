import type { PolicyRecord } from '../../store/policies.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import { makesCodes } from './kinds.ts';

/** What a sign-in requires after the password: nothing, a code, or enrolment first. */
export type Demand = 'none' | 'verify' | 'enrol';

/**
 * A user with a device that makes codes is always asked for one. A user with only passkeys, or with nothing, is asked
 * if the policy in force requires a second factor. A passkey is a sign-in of its own, and having one does not rule out
 * others, because some browsers cannot present it.
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
