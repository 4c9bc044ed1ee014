/** The kinds of second factor. Another one is a member of `FactorKind` and whatever then does not compile. */

import type { Services } from '../../services.ts';
import type { FactorDeviceRecord, FactorKind } from '../../store/records.ts';
import type { Account } from '../accounts/account.ts';
import { Failure } from '../failure.ts';

export interface KindDescription {
  /** Its number on the wire. */
  readonly id: number;
  readonly name: string;
  readonly authFactorName: string;
  readonly typeDisplayName: string;
  /** What it adds to `amr` (RFC 8176 §2). */
  readonly method: string;
}

export const kinds = {
  totp: {
    id: 1,
    name: 'Authenticator app',
    authFactorName: 'Authenticator',
    typeDisplayName: 'Authenticator app',
    method: 'otp',
  },
} as const satisfies Record<FactorKind, KindDescription>;

/** The kind with this number. Throws `value_invalid` (name `factor_id`). */
export function kindOf(factorId: number): FactorKind {
  for (const [kind, { id }] of Object.entries(kinds)) if (id === factorId) return kind as FactorKind;
  throw new Failure('value_invalid', { name: 'factor_id', message: `factor_id names no factor with ${factorId}` });
}

type Sealed = Pick<FactorDeviceRecord, 'registrationId' | 'sealedSecret'>;

function placeOf(registrationId: string): string {
  return `factor_devices|secret|${registrationId}`;
}

/** What is stored of a device's seed. */
export function sealSeed(
  { vault }: Pick<Services, 'vault'>,
  { record }: Pick<Account, 'record'>,
  registrationId: string,
  seed: Buffer,
): string {
  return vault.seal(record, placeOf(registrationId), seed);
}

export function openSeed(
  { vault }: Pick<Services, 'vault'>,
  { record }: Pick<Account, 'record'>,
  { registrationId, sealedSecret }: Sealed,
): Buffer {
  return vault.unseal(record, placeOf(registrationId), sealedSecret);
}

/** The time step whose code of the device this is, or null. */
export function findStepOf(
  services: Pick<Services, 'vault' | 'totp' | 'clock'>,
  account: Pick<Account, 'record'>,
  device: FactorDeviceRecord,
  code: string,
): number | null {
  switch (device.kind) {
    case 'totp':
      return isTotpCode(code)
        ? services.totp.findStep(openSeed(services, account, device), code, services.clock.now())
        : null;
  }
}

/** Six digits. */
export function isTotpCode(code: string): boolean {
  return /^\d{6}$/.test(code);
}

/** A code as typed: digits of any script's width, without the spaces and dashes that people put between them. */
export function normalCode(typed: string): string {
  return typed.normalize('NFKC').replace(/[\s-]/g, '').toLowerCase();
}
