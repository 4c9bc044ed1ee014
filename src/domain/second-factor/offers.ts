/** The authenticator app that a page offers to set up, before anything is stored. */

import type { Services } from '../../services.ts';
import type { Account } from '../accounts/account.ts';
import type { Actor } from '../audit/context.ts';
import { uuidOf } from '../secrets.ts';
import { type AddedDevice, seedBytes } from './enrolments.ts';
import { isTotpCode, kinds, normalCode } from './kinds.ts';

export interface Offer {
  readonly seed: Buffer;
  readonly enrolmentId: string;
}

/**
 * The offer is derived, not stored: a reloaded page shows the same key, an abandoned page leaves nothing behind, and of
 * two simultaneous forms one enrols. `place` is the page, and `to` what and whom it is for.
 */
export function offer(
  { vault }: Pick<Services, 'vault'>,
  { record }: Pick<Account, 'record'>,
  place: 'second factor' | 'own second factor',
  to: string,
): Offer {
  return {
    seed: vault.mac(record, `${place} seed`, to).subarray(0, seedBytes),
    enrolmentId: uuidOf(vault.mac(record, `${place} registration`, to)),
  };
}

export type CodeProblem = 'wrong' | 'missing';

/** The device to add (`addDevice`) after a right code of the offer, or what is wrong with the code. */
export function acceptOffer(
  { totp, clock }: Pick<Services, 'totp' | 'clock'>,
  { seed, enrolmentId }: Offer,
  typed: string,
  actor: Actor,
): AddedDevice | CodeProblem {
  if (typed === '') return 'missing';
  const code = normalCode(typed);
  const now = clock.now();
  const step = isTotpCode(code) ? totp.findStep(seed, code, now) : null;
  if (step === null) return 'wrong';
  return { kind: 'totp', name: kinds.totp.name, seed, step, now, expiresAt: null, actor, enrolmentId };
}
