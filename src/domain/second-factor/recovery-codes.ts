/** One-time codes for a user who has lost the device (NIST SP 800-63B §3.1.2, look-up secrets). */

import type { Random, Services } from '../../services.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { UserRecord } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import type { Actor } from '../audit/context.ts';
import { recordEvent } from '../audit/record.ts';
import { Failure } from '../failure.ts';
import { noteChange } from '../means/note-change.ts';
import { makesCodes } from './kinds.ts';

const codes = 10;
const characters = 10;
/** Crockford's base 32, which has no look-alikes. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

const form = /^[0-9a-hjkmnp-tv-z]{10}$/;

function newCode(random: Random): string {
  return [...random.bytes(characters)].map((byte) => alphabet[byte % alphabet.length]).join('');
}

/** The display form, in two halves. */
function shown(code: string): string {
  return `${code.slice(0, characters / 2)}-${code.slice(characters / 2)}`;
}

/** The typed recovery code, or null if it cannot be one. */
export function readRecoveryCode(normal: string): string | null {
  const code = normal.replace(/o/g, '0').replace(/[il]/g, '1');
  return form.test(code) ? code : null;
}

/** The stored digest: keyed, since 50 bits could be brute-forced with the database alone. */
export function recoveryDigest(
  { vault }: Pick<Services, 'vault'>,
  { record }: Pick<Account, 'record'>,
  userId: number,
  code: string,
): string {
  return vault.mac(record, 'recovery code', `${userId} ${code}`).toString('base64url');
}

/** Gives a user ten new codes, shown once, which replace all former ones; part of a transaction. */
export async function giveRecoveryCodes(
  services: Pick<Services, 'clock' | 'random' | 'vault'>,
  tx: Pick<StoreVerbs, 'secondFactors' | 'events'>,
  account: Pick<Account, 'id' | 'record'>,
  userId: number,
  actor?: Actor,
): Promise<readonly string[]> {
  const made = Array.from({ length: codes }, () => newCode(services.random));
  const digests = made.map((code) => recoveryDigest(services, account, userId, code));
  await tx.secondFactors.replaceRecoveryCodes(account.id, userId, digests);
  await recordEvent(tx, services, account, {
    action: 'mfa.recovery_codes_renewed',
    ...(actor && { actor }),
    target: { type: 'user', id: userId },
    detail: { count: codes },
  });
  return made.map(shown);
}

/**
 * The same for a user who has a device that makes codes; the user is notified. The user is locked; part of a
 * transaction. Throws `not_found` for other users.
 */
export async function replaceRecoveryCodes(
  services: Pick<Services, 'clock' | 'random' | 'vault'>,
  tx: StoreVerbs,
  account: Pick<Account, 'id' | 'record'>,
  user: UserRecord,
  actor: Actor,
): Promise<readonly string[]> {
  if (!(await tx.secondFactors.listDevices(account.id, user.id)).some(makesCodes)) {
    throw new Failure('not_found', { name: 'device', message: 'the user has no second factor' });
  }
  await noteChange(services, tx, account, { changes: ['recovery_codes'], former: user });
  return giveRecoveryCodes(services, tx, account, user.id, actor);
}
