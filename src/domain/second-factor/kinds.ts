/** The kinds of second factor. To add one, add a member to `FactorKind` and fix what no longer compiles. */

import type { Services } from '../../services.ts';
import type { MeansChange } from '../../store/change-notices.ts';
import type { FactorDeviceRecord, FactorKind } from '../../store/second-factors.ts';
import type { Account } from '../accounts/account.ts';
import { Failure } from '../failure.ts';

interface KindDescription {
  /** Its number on the wire. */
  readonly id: number;
  readonly name: string;
  readonly authFactorName: string;
  readonly typeDisplayName: string;
  /** Whether it makes codes that a user types. */
  readonly codes: boolean;
  /** What its user is told when one is added or removed. */
  readonly added: MeansChange;
  readonly removed: MeansChange;
}

export const kinds = {
  totp: {
    id: 1,
    name: 'Authenticator app',
    authFactorName: 'Authenticator',
    typeDisplayName: 'Authenticator app',
    codes: true,
    added: 'app_added',
    removed: 'app_removed',
  },
  passkey: {
    id: 2,
    name: 'Passkey',
    authFactorName: 'WebAuthn',
    typeDisplayName: 'Passkey',
    codes: false,
    added: 'passkey_added',
    removed: 'passkey_removed',
  },
} as const satisfies Record<FactorKind, KindDescription>;

/** The kinds that a caller of the API can register: a passkey is created by its user's browser. */
export const registrable: readonly KindDescription[] = Object.values(kinds).filter(({ codes }) => codes);

/** The kind with this number, if the API can register it. Throws `value_invalid` (name `factor_id`). */
export function kindOf(factorId: number): FactorKind {
  for (const [kind, { id, codes }] of Object.entries(kinds)) if (codes && id === factorId) return kind as FactorKind;
  throw new Failure('value_invalid', { name: 'factor_id', message: `unknown factor in factor_id: ${factorId}` });
}

type Sealed = Pick<FactorDeviceRecord, 'enrolmentId' | 'sealedSecret'>;

function placeOf(enrolmentId: string): string {
  return `factor_devices|secret|${enrolmentId}`;
}

/** Whether a code of it can be asked for. */
export function makesCodes({ kind }: Pick<FactorDeviceRecord, 'kind'>): boolean {
  return kinds[kind].codes;
}

/** The stored form of a device's seed, or of a passkey's public key. */
export function sealSeed(
  { vault }: Pick<Services, 'vault'>,
  { record }: Pick<Account, 'record'>,
  enrolmentId: string,
  seed: Buffer,
): string {
  return vault.seal(record, placeOf(enrolmentId), seed);
}

export function openSeed(
  { vault }: Pick<Services, 'vault'>,
  { record }: Pick<Account, 'record'>,
  { enrolmentId, sealedSecret }: Sealed,
): Buffer {
  return vault.unseal(record, placeOf(enrolmentId), sealedSecret);
}

/** The time step to which the device's code belongs, or null. */
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
    case 'passkey':
      return null;
  }
}

/** Six digits. */
export function isTotpCode(code: string): boolean {
  return /^\d{6}$/.test(code);
}

/** A typed code: digits of any width, without the spaces and dashes that people insert. */
export function normalCode(typed: string): string {
  return typed.normalize('NFKC').replace(/[\s-]/g, '').toLowerCase();
}
