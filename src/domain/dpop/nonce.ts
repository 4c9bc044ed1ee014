/** Nonces of proofs (RFC 9449 §8): derived from the time, so that nothing is stored and all nodes agree. */

import type { Vault } from '../../services.ts';
import type { Milliseconds } from '../../store/time.ts';
import type { Account } from '../accounts/account.ts';
import { minute } from '../durations.ts';

const stepMilliseconds = minute;
/** The number of steps a nonce is valid for, including its own. */
const liveSteps = 5;

/** The current nonce. */
export function currentNonce(vault: Pick<Vault, 'mac'>, account: Account, now: Milliseconds): string {
  return nonceOf(vault, account, Math.floor(now / stepMilliseconds));
}

/**
 * Whether it is the nonce of this or a recent step. The next step's nonce is accepted too: it is from a node whose
 * clock is ahead.
 */
export function isLiveNonce(vault: Pick<Vault, 'mac'>, account: Account, nonce: string, now: Milliseconds): boolean {
  const step = Number.parseInt(/^([0-9a-z]{1,10})\.[\w-]{22}$/.exec(nonce)?.[1] ?? '', 36);
  const age = Math.floor(now / stepMilliseconds) - step;
  return age >= -1 && age < liveSteps && nonce === nonceOf(vault, account, step);
}

function nonceOf({ mac }: Pick<Vault, 'mac'>, account: Account, step: number): string {
  const seal = mac(account.record, 'dpop nonce', String(step)).subarray(0, 16).toString('base64url');
  return `${step.toString(36)}.${seal}`;
}
