import type { New } from './row.ts';
import type { Milliseconds } from './time.ts';
import type { CountedAttempt } from './users.ts';

/**
 * A kind of second factor: time-based one-time codes of an authenticator app (RFC 6238), or a passkey (WebAuthn Level
 * 3).
 */
export type FactorKind = 'totp' | 'passkey';

/** What a user has beside the password. It counts once it is accepted. */
export interface FactorDeviceRecord {
  readonly accountId: number;
  readonly id: number;
  readonly userId: number;
  readonly kind: FactorKind;
  /** As its user knows it. */
  readonly name: string;
  /** Names its registration; a UUID. */
  readonly registrationId: string;
  /**
   * Its seed, sealed under the account's data key; of a passkey, the public key, so that nobody puts another in its
   * place.
   */
  readonly sealedSecret: string;
  /**
   * The newest time step of which a code was taken; none of it or of an older one is taken again. -1 before the first,
   * and of a passkey.
   */
  readonly lastStep: number;
  readonly lastUsedAt: Milliseconds | null;
  readonly createdAt: Milliseconds;
  /** Until when it can be accepted; null once it is. */
  readonly expiresAt: Milliseconds | null;
  readonly acceptedAt: Milliseconds | null;
}

/** Asks, over the management API, for a code of a device. */
export interface FactorVerificationRecord {
  readonly accountId: number;
  /** A UUID. */
  readonly id: string;
  readonly userId: number;
  readonly deviceId: number;
  readonly createdAt: Milliseconds;
  readonly expiresAt: Milliseconds;
  readonly acceptedAt: Milliseconds | null;
}

/** Second factors: devices, recovery codes, and the count of wrong codes, which the right password leaves as it is. */
export interface SecondFactorStore {
  createDevice(device: New<FactorDeviceRecord>): Promise<FactorDeviceRecord>;
  /** By the registration that made it, accepted or not. */
  findRegistration(accountId: number, userId: number, registrationId: string): Promise<FactorDeviceRecord | null>;
  /** The accepted ones, oldest first. */
  listDevices(accountId: number, userId: number): Promise<FactorDeviceRecord[]>;
  /** How many there are, those included that wait to be accepted. */
  countDevices(accountId: number, userId: number, now: Milliseconds): Promise<number>;
  /** Accepts a device that waits for it, and the time step that its code was of: true for exactly one caller. */
  acceptDevice(accountId: number, id: number, step: number, at: Milliseconds): Promise<boolean>;
  /** Uses up a time step of an accepted device: true for exactly one caller, and never for an older step. */
  useStep(accountId: number, id: number, step: number, at: Milliseconds): Promise<boolean>;
  /** Names an accepted device anew; false when there is none. */
  renameDevice(accountId: number, userId: number, id: number, name: string): Promise<boolean>;
  /** Removes an accepted device; false when there is none. */
  removeDevice(accountId: number, userId: number, id: number): Promise<boolean>;
  /** As `UserStore.countAttempt`, for codes. */
  countAttempt(attempt: CountedAttempt): Promise<'counted' | 'last' | null>;
  clearAttempts(accountId: number, userId: number): Promise<void>;
  /** The user's recovery codes from now on, none of them used. */
  replaceRecoveryCodes(accountId: number, userId: number, digests: readonly string[]): Promise<void>;
  /** Uses a recovery code up: true for exactly one caller. */
  useRecoveryCode(accountId: number, userId: number, digest: string, at: Milliseconds): Promise<boolean>;
  /** How many of them are not used. */
  countRecoveryCodes(accountId: number, userId: number): Promise<number>;
  createVerification(verification: FactorVerificationRecord): Promise<void>;
  findVerification(accountId: number, userId: number, id: string): Promise<FactorVerificationRecord | null>;
  /** True for exactly one caller, before `expiresAt`. */
  acceptVerification(accountId: number, id: string, at: Milliseconds): Promise<boolean>;
}
