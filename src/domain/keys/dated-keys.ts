/** Signing keys as administrators see them: with the step of their rotation, and until when each signs. */

import type { SigningKeyRecord } from '../../store/keys.ts';
import type { Milliseconds } from '../../store/time.ts';
import type { Account } from '../accounts/account.ts';
import { type RotationStep, rotationStepOf } from './rotation-step.ts';
import { type KeyServices, type KeyStanding, standingsOf } from './signing-keys.ts';

export interface DatedKey extends KeyStanding {
  /** The same for all keys of the algorithm. */
  readonly step: RotationStep;
  /** Null while there is no next key. Before `signsFrom` for one that was withdrawn before it signed. */
  readonly signsUntil: Milliseconds | null;
}

/** Every key of the account, oldest first. */
export async function datedKeys(
  { store, clock }: Pick<KeyServices, 'store' | 'clock'>,
  account: Pick<Account, 'id'>,
): Promise<DatedKey[]> {
  const now = clock.now();
  const keys = await store.keys.list(account.id);
  return standingsOf(keys, now).map((key, index) => ({
    ...key,
    step: rotationStepOf(keys, key.alg, now),
    signsUntil: endOf(key, keys.slice(index + 1)),
  }));
}

/** A next key that an emergency withdrew never signs. */
function endOf({ alg, retiresAt }: KeyStanding, later: readonly SigningKeyRecord[]): Milliseconds | null {
  const next = later.find((key) => key.alg === alg && (key.retiresAt === null || key.retiresAt > key.signsFrom));
  const ends = [next?.signsFrom, retiresAt].filter((end) => typeof end === 'number');
  return ends.length > 0 ? Math.min(...ends) : null;
}
