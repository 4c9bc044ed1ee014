/**
 * Challenges of passkeys (WebAuthn Level 3 §13.4.3): random, for one page of one browser, valid once and for ten
 * minutes. They contain their own MAC, so a page that is only viewed stores nothing. The store keeps the digest of each
 * challenge that was answered correctly until it expires.
 */

import { timingSafeEqual } from 'node:crypto';
import type { Services } from '../../services.ts';
import type { PasskeyStore } from '../../store/passkeys.ts';
import type { Milliseconds } from '../../store/time.ts';
import type { Account } from '../accounts/account.ts';
import { minute } from '../durations.ts';
import { digestOf } from '../secrets.ts';

const lifeMilliseconds = 10 * minute;
const nonceBytes = 16;
/** Nonce and expiry, which the MAC covers. */
const headBytes = nonceBytes + 8;
const proofBytes = 32;

/** The use of a challenge: its purpose, and the digest that names the sign-in or the session. */
export interface Purpose {
  readonly of: 'sign-in' | 'second factor' | 'new passkey';
  readonly digest: string;
}

type AccountOf = Pick<Account, 'id' | 'record'>;

function proofOf(
  { vault }: Pick<Services, 'vault'>,
  { record }: AccountOf,
  { of, digest }: Purpose,
  head: Buffer,
): Buffer {
  return vault.mac(record, 'passkey challenge', `${of} ${digest} ${head.toString('base64url')}`);
}

/** A new challenge, base64url. */
export function newChallenge(
  services: Pick<Services, 'vault' | 'random' | 'clock'>,
  account: AccountOf,
  purpose: Purpose,
): string {
  const head = Buffer.alloc(headBytes);
  services.random.bytes(nonceBytes).copy(head);
  head.writeBigUInt64BE(BigInt(services.clock.now() + lifeMilliseconds), nonceBytes);
  return Buffer.concat([head, proofOf(services, account, purpose, head)]).toString('base64url');
}

/** When a challenge expires; null if it was not made for the purpose or has expired. */
export function endOfChallenge(
  services: Pick<Services, 'vault' | 'clock'>,
  account: AccountOf,
  purpose: Purpose,
  challenge: string,
): Milliseconds | null {
  const bytes = Buffer.from(challenge, 'base64url');
  // Only one spelling is accepted: another text of the same bytes could be used again.
  if (bytes.length !== headBytes + proofBytes || bytes.toString('base64url') !== challenge) return null;
  const head = bytes.subarray(0, headBytes);
  if (!timingSafeEqual(bytes.subarray(headBytes), proofOf(services, account, purpose, head))) return null;
  const end = Number(head.readBigUInt64BE(nonceBytes));
  return end > services.clock.now() ? end : null;
}

/** Uses a challenge up; false if it was used before. */
export function useChallenge(
  { passkeys }: { readonly passkeys: PasskeyStore },
  account: Pick<Account, 'id'>,
  challenge: string,
  end: Milliseconds,
): Promise<boolean> {
  return passkeys.useChallenge(account.id, digestOf(challenge), end);
}
