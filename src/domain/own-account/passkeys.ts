/** A user's own passkeys. All that concerns them needs a recent sign-in, which `enter` sees to. */

import type { Services } from '../../services.ts';
import type { Milliseconds, StoredPasskey } from '../../store/records.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import { Failure } from '../failure.ts';
import { endOfChallenge, newChallenge, type Purpose, useChallenge } from '../passkeys/challenge.ts';
import { referenceTo, relyingPartyOf, userHandleOf } from '../passkeys/relying-party.ts';
import { canAddDevice, removeDevice, unknownDevice } from '../second-factor/devices.ts';
import { addDevice } from '../second-factor/registrations.ts';
import { readText } from '../text.ts';
import { fullName } from '../users/names.ts';
import type { Visit } from './enter.ts';

/** The user of the browser, with the session. */
type Owner = Pick<Visit, 'user' | 'session'>;

type WriteServices = Pick<Services, 'store' | 'clock' | 'random' | 'vault' | 'passkeys'>;

/** Characters of a passkey's name. */
export const longestName = 64;

/** A passkey as its owner sees it. */
export interface OwnPasskey {
  readonly id: number;
  readonly name: string;
  readonly createdAt: Milliseconds;
  readonly lastUsedAt: Milliseconds | null;
  /** Copies of it are kept by whoever makes the authenticator. */
  readonly backedUp: boolean;
}

/** What the page shows: all passkeys, oldest first, and what it asks the browser with for another (null: there are ten devices). */
export interface OwnPasskeys {
  readonly passkeys: readonly OwnPasskey[];
  readonly creationOptions: string | null;
}

function purposeOf({ session }: Owner): Purpose {
  return { of: 'new passkey', digest: session.digest };
}

export async function listOwnPasskeys(services: WriteServices, account: Account, visit: Owner): Promise<OwnPasskeys> {
  const { user } = visit;
  const stored = await services.store.passkeys.list(account.id, user.id);
  const canAdd = await canAddDevice(services.store, account, user.id, services.clock.now());
  const passkeys = stored.map(({ device: { id, name, createdAt, lastUsedAt }, passkey: { backedUp } }) => {
    return { id, name, createdAt, lastUsedAt, backedUp };
  });
  return { passkeys, creationOptions: canAdd ? creationOptions(services, account, visit, stored) : null };
}

function creationOptions(
  services: WriteServices,
  account: Account,
  visit: Owner,
  stored: readonly StoredPasskey[],
): string {
  const { user } = visit;
  const userName = user.email ?? user.username ?? '';
  return services.passkeys.creationOptions(relyingPartyOf(account), {
    challenge: newChallenge(services, account, purposeOf(visit)),
    userHandle: userHandleOf(services, account, user.id),
    userName,
    displayName: fullName(user) || userName,
    known: stored.map(referenceTo),
  });
}

/** Why nothing was changed: the browser's answer does not count, the name is none, or there are ten devices. */
export type PasskeyProblem = 'answer' | 'name' | 'full';

/** Null: it was done. */
export type PasskeyOutcome = PasskeyProblem | null;

/** A name as typed, or null. */
function readName(typed: string): string | null {
  try {
    return readText('name', typed.trim(), longestName);
  } catch (error) {
    if (error instanceof Failure && error.code === 'value_invalid') return null;
    throw error;
  }
}

/** Keeps a passkey that the browser has made. */
export async function addPasskey(
  services: WriteServices,
  account: Account,
  visit: Owner,
  given: { readonly answer: string; readonly name: string },
): Promise<PasskeyOutcome> {
  const name = readName(given.name);
  if (name === null) return 'name';
  const challenge = services.passkeys.read(given.answer)?.challenge ?? '';
  const end = endOfChallenge(services, account, purposeOf(visit), challenge);
  const made =
    end === null ? null : await services.passkeys.verifyNew(relyingPartyOf(account), challenge, given.answer);
  if (end === null || !made) return 'answer';
  const { publicKey, ...kept } = made;
  const { id: userId } = visit.user;
  const now = services.clock.now();
  const actor = { type: 'user', id: userId } as const;
  const adding = services.store.transaction(async (tx): Promise<PasskeyOutcome> => {
    if (!(await useChallenge(tx, account, challenge, end))) return 'answer';
    const device = { kind: 'passkey', name, seed: publicKey, step: -1, now, expiresAt: null, actor } as const;
    const { id } = await addDevice(services, tx, account, userId, device);
    await tx.passkeys.create({ accountId: account.id, deviceId: id, ...kept });
    return null;
  });
  return adding.catch((error: unknown) => {
    // Somebody has this very passkey, or a form that was sent beside this one added the last that there may be.
    if (error instanceof Failure && error.code === 'conflict') return 'answer';
    if (error instanceof Failure && error.code === 'value_invalid') return 'full';
    throw error;
  });
}

/** Names a passkey anew. Throws `not_found` for one that is not the user's. */
export async function renamePasskey(
  services: WriteServices,
  account: Account,
  { user: { id } }: Owner,
  deviceId: number,
  typed: string,
): Promise<PasskeyOutcome> {
  await requireOwn(services, account, id, deviceId);
  const name = readName(typed);
  if (name === null) return 'name';
  return services.store.transaction(async (tx) => {
    if (!(await tx.secondFactors.renameDevice(account.id, id, deviceId, name))) throw unknownDevice();
    const about = { type: 'user', id } as const;
    const detail = { device_id: deviceId };
    await recordEvent(tx, services, account, { action: 'mfa.renamed', actor: about, target: about, detail });
    return null;
  });
}

/** Takes a passkey away. Throws `not_found` for one that is not the user's. */
export async function removePasskey(
  services: WriteServices,
  account: Account,
  { user }: Owner,
  deviceId: number,
): Promise<PasskeyOutcome> {
  const { id } = user;
  await requireOwn(services, account, id, deviceId);
  await removeDevice(services, account, id, deviceId, { type: 'user', id });
  return null;
}

/** Here nothing but passkeys is named or removed. */
async function requireOwn(
  { store }: Pick<Services, 'store'>,
  account: Account,
  userId: number,
  deviceId: number,
): Promise<void> {
  const own = await store.passkeys.list(account.id, userId);
  if (!own.some(({ device }) => device.id === deviceId)) throw unknownDevice();
}
