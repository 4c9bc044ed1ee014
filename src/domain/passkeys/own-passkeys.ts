/** The passkeys of whoever is signed in, as their owner sees and changes them. */

import type { Services } from '../../services.ts';
import type { Milliseconds, StoredPasskey } from '../../store/records.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import { Failure } from '../failure.ts';
import type { BrowserState } from '../login/authorization-request.ts';
import { mostDevices, removeDevice, unknownDevice } from '../second-factor/devices.ts';
import { addDevice } from '../second-factor/registrations.ts';
import { readText } from '../text.ts';
import { fullName } from '../users/names.ts';
import { endOfChallenge, newChallenge, type Purpose, useChallenge } from './challenge.ts';
import { findOwner, type Owner, requireOwnForm } from './owner.ts';
import { referenceTo, relyingPartyOf, userHandleOf } from './relying-party.ts';

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

export async function listOwnPasskeys(services: WriteServices, account: Account, owner: Owner): Promise<OwnPasskeys> {
  const { user } = owner;
  const stored = await services.store.passkeys.list(account.id, user.id);
  const devices = await services.store.secondFactors.countDevices(account.id, user.id, services.clock.now());
  const passkeys = stored.map(({ device: { id, name, createdAt, lastUsedAt }, passkey: { backedUp } }) => {
    return { id, name, createdAt, lastUsedAt, backedUp };
  });
  const full = devices >= mostDevices;
  return { passkeys, creationOptions: full ? null : await creationOptions(services, account, owner, stored) };
}

function creationOptions(
  services: WriteServices,
  account: Account,
  owner: Owner,
  stored: readonly StoredPasskey[],
): Promise<string> {
  const { user } = owner;
  const userName = user.email ?? user.username ?? '';
  return services.passkeys.creationOptions(relyingPartyOf(account), {
    challenge: newChallenge(services, account, purposeOf(owner)),
    userHandle: userHandleOf(services, account, user.id),
    userName,
    displayName: fullName(user) || userName,
    known: stored.map(referenceTo),
  });
}

/** Why nothing was changed: the browser's answer does not count, the name is none, or there are ten devices. */
export type PasskeyProblem = 'answer' | 'name' | 'full';

export type PasskeyChange =
  | { readonly outcome: 'done' }
  | { readonly outcome: 'sign_in_needed' }
  | { readonly outcome: 'refused'; readonly owner: Owner; readonly problem: PasskeyProblem };

/** A name as typed, or null. */
function readName(typed: string): string | null {
  try {
    return readText('name', typed.trim(), longestName);
  } catch (error) {
    if (error instanceof Failure && error.code === 'value_invalid') return null;
    throw error;
  }
}

interface Change {
  readonly owner: Owner;
  readonly name: string;
}

/** What every form of the page is checked for first. Throws `cross_site_request`. */
async function readChange(
  services: Pick<Services, 'store' | 'clock'>,
  account: Account,
  browser: BrowserState,
  csrf: string | undefined,
  typed: string | null,
): Promise<Change | Exclude<PasskeyChange, { readonly outcome: 'done' }>> {
  const owner = await findOwner(services, account, browser);
  if (!owner) return { outcome: 'sign_in_needed' };
  requireOwnForm(browser, csrf);
  const name = typed === null ? '' : readName(typed);
  return name === null ? { outcome: 'refused', owner, problem: 'name' } : { owner, name };
}

/** Keeps a passkey that the browser has made. Throws `cross_site_request`. */
export async function addPasskey(
  services: WriteServices,
  account: Account,
  browser: BrowserState,
  csrf: string | undefined,
  given: { readonly answer: string; readonly name: string },
): Promise<PasskeyChange> {
  const change = await readChange(services, account, browser, csrf, given.name);
  if ('outcome' in change) return change;
  const { owner, name } = change;
  const refused = (problem: PasskeyProblem) => ({ outcome: 'refused', owner, problem }) as const;
  const challenge = services.passkeys.read(given.answer)?.challenge ?? '';
  const end = endOfChallenge(services, account, purposeOf(owner), challenge);
  const made =
    end === null ? null : await services.passkeys.verifyNew(relyingPartyOf(account), challenge, given.answer);
  if (end === null || !made) return refused('answer');
  const { publicKey, ...kept } = made;
  const now = services.clock.now();
  const actor = { type: 'user', id: owner.user.id } as const;
  const added = services.store.transaction(async (tx): Promise<PasskeyChange> => {
    if (!(await useChallenge(tx, account, challenge, end))) return refused('answer');
    const device = { kind: 'passkey', name, seed: publicKey, step: -1, now, expiresAt: null, actor } as const;
    const { id } = await addDevice(services, tx, account, owner.user.id, device);
    await tx.passkeys.create({ accountId: account.id, deviceId: id, ...kept });
    return { outcome: 'done' };
  });
  return added.catch((error: unknown) => {
    // Somebody has this very passkey, or a form that was sent beside this one added the last that there may be.
    if (error instanceof Failure && error.code === 'conflict') return refused('answer');
    if (error instanceof Failure && error.code === 'value_invalid') return refused('full');
    throw error;
  });
}

/** Names a passkey anew. Throws `cross_site_request` and `not_found`. */
export async function renamePasskey(
  services: WriteServices,
  account: Account,
  browser: BrowserState,
  csrf: string | undefined,
  given: { readonly deviceId: number; readonly name: string },
): Promise<PasskeyChange> {
  const change = await readChange(services, account, browser, csrf, given.name);
  if ('outcome' in change) return change;
  const { id } = change.owner.user;
  await requireOwn(services, account, id, given.deviceId);
  return services.store.transaction(async (tx) => {
    if (!(await tx.secondFactors.renameDevice(account.id, id, given.deviceId, change.name))) throw unknownDevice();
    const about = { type: 'user', id } as const;
    const detail = { device_id: given.deviceId };
    await recordEvent(tx, services, account, { action: 'mfa.renamed', actor: about, target: about, detail });
    return { outcome: 'done' };
  });
}

/** Takes a passkey away. Throws `cross_site_request` and `not_found`. */
export async function removePasskey(
  services: WriteServices,
  account: Account,
  browser: BrowserState,
  csrf: string | undefined,
  { deviceId }: { readonly deviceId: number },
): Promise<PasskeyChange> {
  const change = await readChange(services, account, browser, csrf, null);
  if ('outcome' in change) return change;
  const { id } = change.owner.user;
  await requireOwn(services, account, id, deviceId);
  await removeDevice(services, account, id, deviceId, { type: 'user', id });
  return { outcome: 'done' };
}

/** Here nothing but passkeys is named or removed. */
async function requireOwn(
  { store }: Pick<Services, 'store' | 'clock'>,
  account: Account,
  userId: number,
  deviceId: number,
): Promise<void> {
  const own = await store.passkeys.list(account.id, userId);
  if (!own.some(({ device }) => device.id === deviceId)) throw unknownDevice();
}
