import type { Services } from '../../services.ts';
import type { StoredPasskey } from '../../store/passkeys.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Milliseconds } from '../../store/time.ts';
import type { UserRecord } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import { openSeed } from '../second-factor/kinds.ts';
import { endOfChallenge, newChallenge, type Purpose, useChallenge } from './challenge.ts';
import type { ShownPasskey } from './port.ts';
import { referenceTo, relyingPartyOf, userHandleOf } from './relying-party.ts';

type PasskeyServices = Pick<Services, 'store' | 'clock' | 'vault' | 'passkeys'>;

/** The WebAuthn options that ask for a passkey: the given user's, or anyone's. */
export function passkeyOptions(
  services: Pick<Services, 'vault' | 'random' | 'clock' | 'passkeys'>,
  account: Account,
  purpose: Purpose,
  allowed: readonly StoredPasskey[],
): string {
  const challenge = newChallenge(services, account, purpose);
  return services.passkeys.requestOptions(relyingPartyOf(account), { challenge, allowed: allowed.map(referenceTo) });
}

interface PasskeyAttempt {
  /** As the browser sent it. */
  readonly answer: string;
  readonly purpose: Purpose;
  /** The only user whose passkey is accepted; null: any user's. */
  readonly userId: number | null;
}

/** A passkey that was presented correctly. */
export interface UsedPasskey {
  readonly user: UserRecord;
  readonly deviceId: number;
  readonly backupEligible: boolean;
}

type TriedPasskey<Result> =
  | { readonly right: true; readonly result: Result }
  /** `userId`: the owner of the passkey that the answer names; the sender is unknown. */
  | { readonly right: false; readonly userId: number | null };

/**
 * Verifies an answer to a challenge, uses the challenge up and runs `onPass` in the same transaction. It does not
 * report why an answer is invalid. Closed sign-ins do not matter here: a passkey cannot be guessed.
 */
export async function usePasskey<Result>(
  services: PasskeyServices,
  account: Account,
  { answer, purpose, userId }: PasskeyAttempt,
  onPass: (tx: StoreVerbs, used: UsedPasskey) => Promise<Result>,
): Promise<TriedPasskey<Result>> {
  const shown = services.passkeys.read(answer);
  const known = shown && (await services.store.passkeys.findByCredential(account.id, shown.credentialId));
  if (!shown || !known) return { right: false, userId: null };
  const { device, passkey } = known;
  const wrong = { right: false, userId: device.userId } as const;
  const end = endOfChallenge(services, account, purpose, shown.challenge);
  if (end === null || !isOwnersAnswer(services, account, known, shown, userId)) return wrong;
  const said = await verify(services, account, known, shown, answer);
  if (!said) return wrong;
  const done = await services.store.transaction(async (tx) => {
    const now = services.clock.now();
    const user = await tx.users.lock(account.id, device.userId);
    if (!user || !(await consume(tx, account, known, { challenge: shown.challenge, end, now, ...said }))) return null;
    const about = { type: 'user', id: user.id } as const;
    const detail = { device_id: device.id };
    await recordEvent(tx, services, account, { action: 'mfa.verified', actor: about, target: about, detail });
    return { result: await onPass(tx, { user, deviceId: device.id, backupEligible: passkey.backupEligible }) };
  });
  return done ? { right: true, result: done.result } : wrong;
}

/** WebAuthn Level 3 §7.2, step 6: the user found by the passkey must be the one it was created for. */
function isOwnersAnswer(
  services: Pick<Services, 'vault'>,
  account: Account,
  { device }: StoredPasskey,
  { userHandle }: ShownPasskey,
  userId: number | null,
): boolean {
  if (userId !== null && userId !== device.userId) return false;
  if (userHandle === null) return userId !== null;
  return userHandle === userHandleOf(services, account, device.userId).toString('base64url');
}

async function verify(
  services: PasskeyServices,
  account: Account,
  { device, passkey }: StoredPasskey,
  { challenge }: ShownPasskey,
  answer: string,
) {
  const { credentialId, counter, backupEligible } = passkey;
  const publicKey = openSeed(services, account, device);
  const party = relyingPartyOf(account);
  const said = await services.passkeys.verify(party, challenge, { credentialId, publicKey, counter }, answer);
  // Never changes for one key (WebAuthn Level 3 §6.1.3).
  return said && said.backupEligible === backupEligible ? said : null;
}

interface Use {
  readonly challenge: string;
  readonly end: Milliseconds;
  readonly now: Milliseconds;
  readonly counter: number;
  readonly backedUp: boolean;
}

/** Decided by one insert and one conditional update; part of a transaction. */
async function consume(
  tx: Pick<StoreVerbs, 'passkeys'>,
  account: Account,
  { device }: StoredPasskey,
  { challenge, end, now, counter, backedUp }: Use,
): Promise<boolean> {
  if (!(await useChallenge(tx, account, challenge, end))) return false;
  return tx.passkeys.use(account.id, device.id, { counter, backedUp }, now);
}
