import type { Services } from '../../services.ts';
import type { FactorVerificationRecord } from '../../store/second-factors.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import { Failure } from '../failure.ts';
import { newUuid } from '../secrets.ts';
import { useCode } from './check-code.ts';
import { type FactorDevice, listDevices, unknownDevice } from './devices.ts';
import { makesCodes } from './kinds.ts';

/** A verification, and the device whose code it asks for. */
export interface Verification {
  readonly record: FactorVerificationRecord;
  readonly device: FactorDevice;
}

/**
 * Begins a verification by one of the user's devices, on behalf of a caller of the API. Throws `not_found`, and
 * `value_invalid` (name `device_id`) for a passkey.
 */
export async function startVerification(
  services: Pick<Services, 'store' | 'clock' | 'random' | 'vault'>,
  account: Account,
  userId: number,
  deviceId: number,
  expiresInSeconds: number,
): Promise<Verification> {
  return services.store.transaction(async (tx) => {
    const device = (await listDevices({ store: tx }, account, userId)).find(({ id }) => id === deviceId);
    if (!device) throw unknownDevice();
    if (!makesCodes(device)) {
      throw new Failure('value_invalid', {
        name: 'device_id',
        message: 'device_id names a device that does not generate codes',
      });
    }
    const now = services.clock.now();
    const record = {
      accountId: account.id,
      id: newUuid(services.random),
      userId,
      deviceId,
      createdAt: now,
      expiresAt: now + expiresInSeconds * 1000,
      acceptedAt: null,
    };
    await tx.secondFactors.createVerification(record);
    const target = { type: 'user', id: userId } as const;
    const detail = { device_id: deviceId };
    await recordEvent(tx, services, account, { action: 'mfa.verification_started', target, detail });
    return { record, device };
  });
}

/** A verification of the user's that is accepted or has not expired. Throws `not_found`. */
export async function readVerification(
  services: Pick<Services, 'store' | 'clock'>,
  account: Account,
  userId: number,
  verificationId: string,
): Promise<Verification> {
  const record = await services.store.secondFactors.findVerification(account.id, userId, verificationId);
  const devices = record ? await listDevices(services, account, userId) : [];
  const device = devices.find(({ id }) => id === record?.deviceId);
  const over = record?.acceptedAt === null && record.expiresAt <= services.clock.now();
  if (!record || !device || over) throw unknownVerification();
  return { record, device };
}

/**
 * Accepts a verification with a code of its device. Wrong codes count as they do at a sign-in. Throws `not_found`, and
 * `value_invalid` (name `otp`) for a wrong code, while codes are closed, and for a verification that was accepted
 * before.
 */
export async function acceptVerification(
  services: Pick<Services, 'store' | 'clock' | 'vault' | 'totp'>,
  account: Account,
  userId: number,
  verificationId: string,
  code: string,
): Promise<Verification> {
  const { record, device } = await readVerification(services, account, userId, verificationId);
  const user = await services.store.users.find(account.id, userId);
  if (!user) throw unknownVerification();
  if (record.acceptedAt !== null) {
    throw new Failure('value_invalid', { name: 'otp', message: 'the verification has already been accepted' });
  }
  const attempt = { code, deviceId: record.deviceId };
  const accepted = await useCode(services, account, user, attempt, async (tx) => {
    const now = services.clock.now();
    if (!(await tx.secondFactors.acceptVerification(account.id, record.id, now))) throw unknownVerification();
    return { record: { ...record, acceptedAt: now }, device };
  });
  if (accepted) return accepted;
  const message = 'otp is not a code of this device, has been used before, or there were too many wrong codes';
  throw new Failure('value_invalid', { name: 'otp', message });
}

function unknownVerification(): Failure {
  return new Failure('not_found', { name: 'verification', message: 'there is no such verification' });
}
