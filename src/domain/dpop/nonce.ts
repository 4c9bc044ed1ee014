/** Nonces of proofs (RFC 9449 §8): worked out from the time, so that nothing is stored and every node knows them. */

import type { Vault } from '../../services.ts';
import type { Milliseconds } from '../../store/time.ts';
import type { Account } from '../accounts/account.ts';
import { minute } from '../durations.ts';

const stepMilliseconds = minute;
/** How many steps one is good for, its own included. */
const liveSteps = 5;

/** The nonce of now. */
export function currentNonce(vault: Pick<Vault, 'mac'>, account: Account, now: Milliseconds): string {
  return nonceOf(vault, account, Math.floor(now / stepMilliseconds));
}

/** Whether it is the nonce of now or of the minutes before; one of the next minute is that of a node whose clock is ahead. */
export function isLiveNonce(vault: Pick<Vault, 'mac'>, account: Account, nonce: string, now: Milliseconds): boolean {
  const step = Number.parseInt(/^([0-9a-z]{1,10})\.[\w-]{22}$/.exec(nonce)?.[1] ?? '', 36);
  const age = Math.floor(now / stepMilliseconds) - step;
  return age >= -1 && age < liveSteps && nonce === nonceOf(vault, account, step);
}

function nonceOf({ mac }: Pick<Vault, 'mac'>, account: Account, step: number): string {
  const seal = mac(account.record, 'dpop nonce', String(step)).subarray(0, 16).toString('base64url');
  return `${step.toString(36)}.${seal}`;
}
