/** The kinds of second factor. Another one is a member of `FactorKind` and whatever then does not compile. */

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
  /** Whether it makes codes, which a person types. */
  readonly codes: boolean;
  /** What its user is told when there is one more, or one less. */
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

/** The kinds of which a caller of the API can register one: a passkey is made by the browser of its user. */
export const registrable: readonly KindDescription[] = Object.values(kinds).filter(({ codes }) => codes);

/** The kind with this number, of those that can be registered. Throws `value_invalid` (name `factor_id`). */
export function kindOf(factorId: number): FactorKind {
  for (const [kind, { id, codes }] of Object.entries(kinds)) if (codes && id === factorId) return kind as FactorKind;
  throw new Failure('value_invalid', { name: 'factor_id', message: `unknown factor in factor_id: ${factorId}` });
}

type Sealed = Pick<FactorDeviceRecord, 'registrationId' | 'sealedSecret'>;

function placeOf(registrationId: string): string {
  return `factor_devices|secret|${registrationId}`;
}

/** Whether a code of it can be asked for. */
export function makesCodes({ kind }: Pick<FactorDeviceRecord, 'kind'>): boolean {
  return kinds[kind].codes;
}

/** What is stored of a device's seed, or of a passkey's public key. */
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
    case 'passkey':
      return null;
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
