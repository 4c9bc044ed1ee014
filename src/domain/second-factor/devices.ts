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
import { kinds, makesCodes } from './kinds.ts';

/** Maximum number of devices of a user, including those waiting to be accepted. */
export const mostDevices = 10;

/** Whether the user may add another one. */
export async function canAddDevice(
  { secondFactors }: Pick<StoreVerbs, 'secondFactors'>,
  account: Pick<Account, 'id'>,
  userId: number,
  now: Milliseconds,
): Promise<boolean> {
  return (await secondFactors.countDevices(account.id, userId, now)) < mostDevices;
}

/** A device as its owner and the management API see it, without its seed. */
export interface FactorDevice {
  readonly id: number;
  readonly kind: FactorKind;
  readonly factorId: number;
  readonly authFactorName: string;
  readonly typeDisplayName: string;
  /** The name that the user gave it. */
  readonly name: string;
  /** The device used when none is named: the oldest. */
  readonly isDefault: boolean;
  readonly createdAt: Milliseconds;
  readonly lastUsedAt: Milliseconds | null;
}

/** The devices that a user can present as a second factor, oldest first; none for an unknown user. */
export async function listDevices(
  { store }: { readonly store: Pick<StoreVerbs, 'secondFactors'> },
  account: Pick<Account, 'id'>,
  userId: number,
): Promise<readonly FactorDevice[]> {
  const found = await store.secondFactors.listDevices(account.id, userId);
  return found.map((device, place) => describeDevice(device, place === 0));
}

function describeDevice(
  { id, kind, name, createdAt, lastUsedAt }: FactorDeviceRecord,
  isDefault: boolean,
): FactorDevice {
  const { id: factorId, authFactorName, typeDisplayName } = kinds[kind];
  return { id, kind, factorId, authFactorName, typeDisplayName, name, isDefault, createdAt, lastUsedAt };
}

/**
 * Takes a device from its user, who is locked; with the last one that makes codes the recovery codes go too, which stand
 * for it. Sessions stay; a sign-in under way, in which it may have been shown, ends. Part of a transaction. Throws
 * `not_found`.
 */
export async function takeDevice(
  services: Pick<Services, 'clock' | 'vault'>,
  tx: StoreVerbs,
  account: Pick<Account, 'id' | 'record'>,
  user: UserRecord,
  deviceId: number,
  actor?: Actor,
): Promise<void> {
  const { id: userId } = user;
  const { secondFactors } = tx;
  const device = (await secondFactors.listDevices(account.id, userId)).find(({ id }) => id === deviceId);
  if (!device || !(await secondFactors.removeDevice(account.id, userId, deviceId))) throw unknownDevice();
  await tx.authorizations.endRequests(account.id, { userId });
  await noteChange(services, tx, account, { changes: [kinds[device.kind].removed], former: user });
  if (!(await secondFactors.listDevices(account.id, userId)).some(makesCodes)) {
    await secondFactors.replaceRecoveryCodes(account.id, userId, []);
    await secondFactors.clearAttempts(account.id, userId);
  }
  const target = { type: 'user', id: userId } as const;
  const detail = { device_id: deviceId };
  await recordEvent(tx, services, account, { action: 'mfa.removed', ...(actor && { actor }), target, detail });
}

/** The same in its own transaction. Throws `not_found`. */
export async function removeDevice(
  services: Pick<Services, 'store' | 'clock' | 'vault'>,
  account: Pick<Account, 'id' | 'record'>,
  userId: number,
  deviceId: number,
): Promise<void> {
  await services.store.transaction(async (tx) => {
    const user = await tx.users.lock(account.id, userId);
    if (!user) throw unknownDevice();
    await takeDevice(services, tx, account, user, deviceId);
  });
}

export function unknownDevice(): Failure {
  return new Failure('not_found', { name: 'device', message: 'there is no such device' });
}
