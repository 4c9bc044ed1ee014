/** Codes that are not checked for some time, after too many wrong ones. */

import type { Services } from '../../services.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Milliseconds } from '../../store/time.ts';
import type { Account } from '../accounts/account.ts';
import { makesCodes } from './kinds.ts';

export interface ClosedCodes {
  readonly until: Milliseconds;
  /** A passkey is taken meanwhile: it is not a guess, so it is not counted. */
  readonly hasPasskey: boolean;
}

/** Null if the codes of the user are checked, or there are none. */
export async function findClosedCodes(
  { store, clock }: { readonly store: Pick<StoreVerbs, 'secondFactors'>; readonly clock: Services['clock'] },
  account: Pick<Account, 'id'>,
  userId: number,
): Promise<ClosedCodes | null> {
  const until = await store.secondFactors.findClosedUntil(account.id, userId);
  if (until === null || until <= clock.now()) return null;
  const devices = await store.secondFactors.listDevices(account.id, userId);
  return devices.some(makesCodes) ? { until, hasPasskey: !devices.every(makesCodes) } : null;
}

/** As a part of a sentence about the user. */
export function closedWords({ until, hasPasskey }: ClosedCodes): string {
  return `until ${new Date(until).toISOString()}${hasPasskey ? '; a passkey still works' : ''}`;
}
