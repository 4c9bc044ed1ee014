/** A user's own passkeys. Every operation needs a recent sign-in: `enter` asks for it, and `inVisit` enforces it. */

import type { Services } from '../../services.ts';
import type { StoredPasskey } from '../../store/passkeys.ts';
import type { Milliseconds } from '../../store/time.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import { Failure } from '../failure.ts';
import { passkeyMethods, withSecondFactor } from '../login/methods.ts';
import { openRaisedSession } from '../opening/open.ts';
import { endOfChallenge, newChallenge, type Purpose, useChallenge } from '../passkeys/challenge.ts';
import { referenceTo, relyingPartyOf, userHandleOf } from '../passkeys/relying-party.ts';
import { canAddDevice, takeDevice, unknownDevice } from '../second-factor/devices.ts';
import { addDevice } from '../second-factor/enrolments.ts';
import { readText } from '../text.ts';
import { fullName } from '../users/names.ts';
import { inVisit, type Visitor } from './visit.ts';

type WriteServices = Pick<Services, 'store' | 'clock' | 'random' | 'vault' | 'passkeys' | 'limits'>;

/** Maximum length of a passkey's name. */
const longestName = 64;

/** A passkey as its owner sees it. */
interface OwnPasskey {
  readonly id: number;
  readonly name: string;
  readonly createdAt: Milliseconds;
  readonly lastUsedAt: Milliseconds | null;
  /** Whether the authenticator's vendor keeps copies of it. */
  readonly backedUp: boolean;
}

/**
 * The contents of the page: all passkeys, oldest first, and the WebAuthn options for creating another (null: the user
 * has ten devices).
 */
interface OwnPasskeys {
  readonly passkeys: readonly OwnPasskey[];
  readonly creationOptions: string | null;
}

function purposeOf({ session }: Visitor): Purpose {
  return { of: 'new passkey', digest: session.digest };
}

export async function listOwnPasskeys(services: WriteServices, account: Account, visit: Visitor): Promise<OwnPasskeys> {
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
  visit: Visitor,
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

/** Why nothing was changed: the browser's answer is invalid, the name is invalid, or the user has ten devices. */
export type PasskeyProblem = 'answer' | 'name' | 'full';

/** The result of a change; null: it succeeded. */
export type PasskeyOutcome = PasskeyProblem | null;

/** The typed name, or null if it is invalid. */
function readName(typed: string): string | null {
  try {
    return readText('name', typed.trim(), longestName);
  } catch (error) {
    if (error instanceof Failure && error.code === 'value_invalid') return null;
    throw error;
  }
}

type PasskeyAdded =
  | { readonly outcome: 'added'; readonly sessionSecret: string }
  | { readonly outcome: 'refused'; readonly problem: PasskeyProblem };

function refused(problem: PasskeyProblem): PasskeyAdded {
  return { outcome: 'refused', problem };
}

/**
 * Stores a passkey that the browser has created, whose authenticator has verified the user; the session then counts as
 * having it. Throws as `inVisit` does.
 */
export async function addPasskey(
  services: WriteServices,
  account: Account,
  visit: Visitor,
  given: { readonly answer: string; readonly name: string },
): Promise<PasskeyAdded> {
  const name = readName(given.name);
  if (name === null) return refused('name');
  const challenge = services.passkeys.read(given.answer)?.challenge ?? '';
  const end = endOfChallenge(services, account, purposeOf(visit), challenge);
  const made =
    end === null ? null : await services.passkeys.verifyNew(relyingPartyOf(account), challenge, given.answer);
  if (end === null || !made) return refused('answer');
  const { publicKey, ...kept } = made;
  const now = services.clock.now();
  const adding = inVisit(services, account, visit, { recent: true }, async (tx, admitted): Promise<PasskeyAdded> => {
    if (!(await useChallenge(tx, account, challenge, end))) return refused('answer');
    const { user, session } = admitted;
    const actor = { type: 'user', id: user.id } as const;
    const device = { kind: 'passkey', name, seed: publicKey, step: -1, now, expiresAt: null, actor } as const;
    const { id } = await addDevice(services, tx, account, user.id, device);
    await tx.passkeys.create({ accountId: account.id, deviceId: id, ...kept });
    const methods = withSecondFactor(session.amr, passkeyMethods(kept));
    return { outcome: 'added', sessionSecret: await openRaisedSession(services, tx, account, admitted, methods) };
  });
  return adding.catch((error: unknown) => {
    // The passkey is registered already, or a concurrent form added the last device allowed.
    if (error instanceof Failure && error.code === 'conflict') return refused('answer');
    if (error instanceof Failure && error.code === 'value_invalid') return refused('full');
    throw error;
  });
}

/** Renames a passkey. Throws `not_found` for one that is not the user's, and as `inVisit` does. */
export async function renamePasskey(
  services: WriteServices,
  account: Account,
  visit: Visitor,
  deviceId: number,
  typed: string,
): Promise<PasskeyOutcome> {
  const { id } = visit.user;
  await requireOwn(services, account, id, deviceId);
  const name = readName(typed);
  if (name === null) return 'name';
  return inVisit(services, account, visit, { recent: true }, async (tx) => {
    const devices = await tx.secondFactors.listDevices(account.id, id);
    if (devices.some((device) => device.id === deviceId && device.name === name)) return null;
    if (!(await tx.secondFactors.renameDevice(account.id, id, deviceId, name))) throw unknownDevice();
    const about = { type: 'user', id } as const;
    const detail = { device_id: deviceId };
    await recordEvent(tx, services, account, { action: 'mfa.renamed', actor: about, target: about, detail });
    return null;
  });
}

/** Removes a passkey. Throws `not_found` if it is not the user's, and as `inVisit` does. */
export async function removePasskey(
  services: WriteServices,
  account: Account,
  visit: Visitor,
  deviceId: number,
): Promise<PasskeyOutcome> {
  await requireOwn(services, account, visit.user.id, deviceId);
  return inVisit(services, account, visit, { recent: true }, async (tx, { user }) => {
    await takeDevice(services, tx, account, user, deviceId, { type: 'user', id: user.id });
    return null;
  });
}

/** Only passkeys can be renamed or removed here. */
async function requireOwn(
  { store }: Pick<Services, 'store'>,
  account: Account,
  userId: number,
  deviceId: number,
): Promise<void> {
  const own = await store.passkeys.list(account.id, userId);
  if (!own.some(({ device }) => device.id === deviceId)) throw unknownDevice();
}
