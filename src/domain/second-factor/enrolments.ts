import type { Services } from '../../services.ts';
import type { FactorDeviceRecord, FactorKind } from '../../store/second-factors.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Milliseconds } from '../../store/time.ts';
import type { UserRecord } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import type { Actor } from '../audit/context.ts';
import { recordEvent } from '../audit/record.ts';
import { Failure } from '../failure.ts';
import { noteChange } from '../means/note-change.ts';
import { newUuid } from '../secrets.ts';
import { readText } from '../text.ts';
import { lockUser, requireUserId } from '../users/users.ts';
import { canAddDevice, mostDevices } from './devices.ts';
import { findStepOf, kinds, normalCode, sealSeed } from './kinds.ts';

type AccountOf = Pick<Account, 'id' | 'record'>;

type FactorVerbs = Pick<StoreVerbs, 'secondFactors' | 'events' | 'users' | 'changeNotices'>;

/** Bytes of a seed (RFC 4226 §4, R6). */
export const seedBytes = 20;
const longestName = 64;

/** The data for setting up a new device; shown once. */
export interface Setup {
  /** The seed in base 32, for typing. */
  readonly secret: string;
  /** The seed as a URL for an authenticator app. */
  readonly url: string;
}

/** The set-up data for an authenticator app, with the names of account and user. */
export function setupOf({ totp }: Pick<Services, 'totp'>, { name }: Account, user: UserRecord, seed: Buffer): Setup {
  // Long names would make a QR code that no camera reads.
  const short = (text: string, most: number) => [...text].slice(0, most).join('');
  return totp.describe(seed, short(name, 40), short(user.email ?? user.username ?? `${user.id}`, longestName));
}

export interface NewEnrolment {
  readonly kind: FactorKind;
  readonly name: string;
  readonly expiresInSeconds: number;
  /** True: the caller vouches that the user has the device; it counts at once. */
  readonly verified: boolean;
}

/**
 * Begins an enrolment; its device counts once a code of it was accepted (`acceptEnrolment`). Throws `not_found` for an
 * unknown user, `value_invalid` for a bad name and for a user who has ten devices.
 */
export async function startEnrolment(
  services: Pick<Services, 'store' | 'clock' | 'random' | 'vault' | 'totp'>,
  account: Account,
  userId: number,
  { kind, name, expiresInSeconds, verified }: NewEnrolment,
): Promise<{ readonly device: FactorDeviceRecord; readonly setup: Setup }> {
  const seed = services.random.bytes(seedBytes);
  const readName = readText('display_name', name, longestName);
  return services.store.transaction(async (tx) => {
    const user = await lockUser(tx, account, userId);
    const now = services.clock.now();
    const device = await addDevice(services, tx, account, userId, {
      ...{ kind, name: readName, seed, step: -1, now },
      expiresAt: verified ? null : now + expiresInSeconds * 1000,
    });
    return { device, setup: setupOf(services, account, user, seed) };
  });
}

export interface AddedDevice {
  readonly kind: FactorKind;
  readonly name: string;
  readonly seed: Buffer;
  /** The time step of an accepted code; -1 for none. */
  readonly step: number;
  readonly now: Milliseconds;
  /** Null: it counts at once. */
  readonly expiresAt: Milliseconds | null;
  readonly actor?: Actor;
  /** Default: a new one; one that is in use is refused. */
  readonly enrolmentId?: string;
}

/**
 * Stores a device; part of a transaction. Throws `value_invalid` for a user who has ten devices, `conflict` for an
 * enrolment that exists already.
 */
export async function addDevice(
  services: Pick<Services, 'clock' | 'random' | 'vault'>,
  tx: FactorVerbs,
  account: AccountOf,
  userId: number,
  { kind, name, seed, step, now, expiresAt, actor, ...given }: AddedDevice,
): Promise<FactorDeviceRecord> {
  if (!(await canAddDevice(tx, account, userId, now))) {
    const message = `the user already has ${mostDevices} devices, pending registrations included`;
    throw new Failure('value_invalid', { name: 'factor_id', message });
  }
  const enrolmentId = given.enrolmentId ?? newUuid(services.random);
  const device = await tx.secondFactors.createDevice({
    accountId: account.id,
    userId,
    kind,
    name,
    enrolmentId,
    sealedSecret: sealSeed(services, account, enrolmentId, seed),
    lastStep: step,
    lastUsedAt: step < 0 ? null : now,
    createdAt: now,
    expiresAt,
    acceptedAt: expiresAt === null ? now : null,
  });
  if (expiresAt === null) await tellEnrolled(services, tx, account, device, actor);
  else {
    const about = { ...(actor && { actor }), target: { type: 'user', id: userId } } as const;
    const detail = { device_id: device.id, factor_id: kinds[kind].id };
    await recordEvent(tx, services, account, { action: 'mfa.registered', ...about, detail });
  }
  return device;
}

/** Records that a device counts from now on, and notifies its owner. */
async function tellEnrolled(
  services: Pick<Services, 'clock' | 'vault'>,
  tx: FactorVerbs,
  account: AccountOf,
  { id, userId, kind }: FactorDeviceRecord,
  actor?: Actor,
): Promise<void> {
  const about = { ...(actor && { actor }), target: { type: 'user', id: userId } } as const;
  const detail = { device_id: id, factor_id: kinds[kind].id };
  await recordEvent(tx, services, account, { action: 'mfa.enrolled', ...about, detail });
  const former = await requireUserId(tx, account, userId);
  await noteChange(services, tx, account, { changes: [kinds[kind].added], former });
}

/** The device of an enrolment, both while it waits and once it is accepted. Throws `not_found`. */
export async function readEnrolment(
  { store, clock }: Pick<Services, 'store' | 'clock'>,
  account: Pick<Account, 'id'>,
  userId: number,
  enrolmentId: string,
): Promise<FactorDeviceRecord> {
  const device = await store.secondFactors.findEnrolment(account.id, userId, enrolmentId);
  if (!device || (device.expiresAt !== null && device.expiresAt <= clock.now())) throw unknownEnrolment();
  return device;
}

/**
 * Accepts the device if the code is right. Throws `not_found`, and `value_invalid` (name `otp`) for a wrong code or a
 * device that was accepted before.
 */
export async function acceptEnrolment(
  services: Pick<Services, 'store' | 'clock' | 'vault' | 'totp'>,
  account: AccountOf,
  userId: number,
  enrolmentId: string,
  typed: string,
): Promise<FactorDeviceRecord> {
  const device = await readEnrolment(services, account, userId, enrolmentId);
  if (device.acceptedAt !== null) {
    throw new Failure('value_invalid', { name: 'otp', message: 'the registration has already been accepted' });
  }
  const step = findStepOf(services, account, device, normalCode(typed));
  if (step === null) throw new Failure('value_invalid', { name: 'otp', message: 'otp is not a code of this device' });
  return services.store.transaction(async (tx) => {
    await lockUser(tx, account, userId);
    const now = services.clock.now();
    if (!(await tx.secondFactors.acceptDevice(account.id, device.id, step, now))) throw unknownEnrolment();
    await tellEnrolled(services, tx, account, device);
    return { ...device, acceptedAt: now, expiresAt: null, lastStep: step };
  });
}

function unknownEnrolment(): Failure {
  return new Failure('not_found', { name: 'registration', message: 'there is no such registration' });
}
