/** The authenticator app that a page offers to set up, before there is anything in the store. */

import type { Services } from '../../services.ts';
import type { Account } from '../accounts/account.ts';
import type { Actor } from '../audit/context.ts';
import { uuidOf } from '../secrets.ts';
import { type AddedDevice, seedBytes } from './enrolments.ts';
import { isTotpCode, kinds, normalCode } from './kinds.ts';

export interface Offer {
  readonly seed: Buffer;
  readonly registrationId: string;
}

/**
 * What is offered is worked out, not stored: the page can be loaded again and shows the same key, a page that is left
 * leaves nothing behind, and of two forms sent at once one enrols. `place` is where, and `to` says for what and whom.
 */
export function offer(
  { vault }: Pick<Services, 'vault'>,
  { record }: Pick<Account, 'record'>,
  place: 'second factor' | 'own second factor',
  to: string,
): Offer {
  return {
    seed: vault.mac(record, `${place} seed`, to).subarray(0, seedBytes),
    registrationId: uuidOf(vault.mac(record, `${place} registration`, to)),
  };
}

export type CodeProblem = 'wrong' | 'missing';

/** The device to add (`addDevice`) for who typed a code of what was offered, or what is wrong with the code. */
export function acceptOffer(
  { totp, clock }: Pick<Services, 'totp' | 'clock'>,
  { seed, registrationId }: Offer,
  typed: string,
  actor: Actor,
): AddedDevice | CodeProblem {
  if (typed === '') return 'missing';
  const code = normalCode(typed);
  const now = clock.now();
  const step = isTotpCode(code) ? totp.findStep(seed, code, now) : null;
  if (step === null) return 'wrong';
  return { kind: 'totp', name: kinds.totp.name, seed, step, now, expiresAt: null, actor, registrationId };
}
