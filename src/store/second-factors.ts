import type { New } from './row.ts';
import type { Milliseconds } from './time.ts';
import type { CountedAttempt } from './users.ts';

/**
 * A kind of second factor: time-based one-time codes of an authenticator app (RFC 6238), or a passkey (WebAuthn Level
 * 3).
 */
export type FactorKind = 'totp' | 'passkey';

/** A user's second factor. It counts once it is accepted. */
export interface FactorDeviceRecord {
  readonly accountId: number;
  readonly id: number;
  readonly userId: number;
  readonly kind: FactorKind;
  /** The name that the user gave it. */
  readonly name: string;
  /** Names its enrolment; a UUID. */
  readonly enrolmentId: string;
  /** Its seed, sealed under the account's data key; for a passkey the public key, so that it cannot be replaced. */
  readonly sealedSecret: string;
  /**
   * The newest time step of which a code was accepted; codes of it or of older ones are refused. -1 before the first
   * one, and for a passkey.
   */
  readonly lastStep: number;
  readonly lastUsedAt: Milliseconds | null;
  readonly createdAt: Milliseconds;
  /** Until when it can be accepted; null once it is. */
  readonly expiresAt: Milliseconds | null;
  readonly acceptedAt: Milliseconds | null;
}

/** A request of the management API for a code of a device. */
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

/** Second factors: devices, recovery codes, and the count of wrong codes, which a right password does not reset. */
export interface SecondFactorStore {
  createDevice(device: New<FactorDeviceRecord>): Promise<FactorDeviceRecord>;
  /** By the enrolment that made it, accepted or not. */
  findEnrolment(accountId: number, userId: number, enrolmentId: string): Promise<FactorDeviceRecord | null>;
  /** The accepted ones, oldest first. */
  listDevices(accountId: number, userId: number): Promise<FactorDeviceRecord[]>;
  /** The number of devices, including those waiting to be accepted. */
  countDevices(accountId: number, userId: number, now: Milliseconds): Promise<number>;
  /** Accepts a waiting device, with the time step of its code: true for exactly one caller. */
  acceptDevice(accountId: number, id: number, step: number, at: Milliseconds): Promise<boolean>;
  /** Uses up a time step of an accepted device: true for exactly one caller, and never for an older step. */
  useStep(accountId: number, id: number, step: number, at: Milliseconds): Promise<boolean>;
  /** Renames an accepted device; false when there is none. */
  renameDevice(accountId: number, userId: number, id: number, name: string): Promise<boolean>;
  /** Removes an accepted device; false when there is none. */
  removeDevice(accountId: number, userId: number, id: number): Promise<boolean>;
  /** Like `UserStore.countAttempt`, for codes. */
  countAttempt(attempt: CountedAttempt): Promise<'counted' | 'last' | null>;
  clearAttempts(accountId: number, userId: number): Promise<void>;
  /** Until when no code is checked, which may have passed; null if that is not so. */
  findClosedUntil(accountId: number, userId: number): Promise<Milliseconds | null>;
  /** Replaces the user's recovery codes; the new ones are unused. */
  replaceRecoveryCodes(accountId: number, userId: number, digests: readonly string[]): Promise<void>;
  /** Uses a recovery code up: true for exactly one caller. */
  useRecoveryCode(accountId: number, userId: number, digest: string, at: Milliseconds): Promise<boolean>;
  /** The number of unused ones. */
  countRecoveryCodes(accountId: number, userId: number): Promise<number>;
  createVerification(verification: FactorVerificationRecord): Promise<void>;
  findVerification(accountId: number, userId: number, id: string): Promise<FactorVerificationRecord | null>;
  /** True for exactly one caller, before `expiresAt`. */
  acceptVerification(accountId: number, id: string, at: Milliseconds): Promise<boolean>;
}
