import type { FactorDeviceRecord } from './second-factors.ts';
import type { Milliseconds } from './time.ts';

/** What is kept of a passkey beside the device that it is. */
export interface PasskeyRecord {
  readonly accountId: number;
  readonly deviceId: number;
  /** Base64url; unique in the account. */
  readonly credentialId: string;
  /** As the authenticator said last; 0 where it does not count. */
  readonly counter: number;
  /** How it is reached, as the browser said. */
  readonly transports: readonly string[];
  /** It may be on several devices; never changes. */
  readonly backupEligible: boolean;
  readonly backedUp: boolean;
}

/** A passkey with its device. */
export interface StoredPasskey {
  readonly device: FactorDeviceRecord;
  readonly passkey: PasskeyRecord;
}

/** What passkeys have beside the device that each of them is, and the challenges that were answered. */
export interface PasskeyStore {
  /** Throws `conflict` when the account has a passkey with this credential id. */
  create(passkey: PasskeyRecord): Promise<void>;
  findByCredential(accountId: number, credentialId: string): Promise<StoredPasskey | null>;
  /** Oldest first. */
  list(accountId: number, userId: number): Promise<StoredPasskey[]>;
  /**
   * Keeps what an authenticator says at a use; false when there is none, and when its counter has gone as far already.
   */
  use(
    accountId: number,
    deviceId: number,
    said: Pick<PasskeyRecord, 'counter' | 'backedUp'>,
    at: Milliseconds,
  ): Promise<boolean>;
  /** Uses a challenge up, which is of no use from `expiresAt` on: true for exactly one caller. */
  useChallenge(accountId: number, digest: string, expiresAt: Milliseconds): Promise<boolean>;
}
