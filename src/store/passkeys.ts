import type { FactorDeviceRecord } from './second-factors.ts';
import type { Milliseconds } from './time.ts';

/** The part of a passkey that is not in its device. */
export interface PasskeyRecord {
  readonly accountId: number;
  readonly deviceId: number;
  /** Base64url; unique in the account. */
  readonly credentialId: string;
  /** The last signature counter of the authenticator; 0 if it is not supported. */
  readonly counter: number;
  /** The authenticator's transports, as the browser reported them. */
  readonly transports: readonly string[];
  /** It may exist on several devices; never changes. */
  readonly backupEligible: boolean;
  readonly backedUp: boolean;
}

/** A passkey with its device. */
export interface StoredPasskey {
  readonly device: FactorDeviceRecord;
  readonly passkey: PasskeyRecord;
}

/** Passkeys besides their devices, and the challenges that were answered. */
export interface PasskeyStore {
  /** Throws `conflict` when the account has a passkey with this credential id. */
  create(passkey: PasskeyRecord): Promise<void>;
  findByCredential(accountId: number, credentialId: string): Promise<StoredPasskey | null>;
  /** Oldest first. */
  list(accountId: number, userId: number): Promise<StoredPasskey[]>;
  /**
   * Stores what an authenticator reports at a use; false when there is no such passkey, or when the stored counter is
   * already as high.
   */
  use(
    accountId: number,
    deviceId: number,
    said: Pick<PasskeyRecord, 'counter' | 'backedUp'>,
    at: Milliseconds,
  ): Promise<boolean>;
  /** Uses up a challenge that expires at `expiresAt`: true for exactly one caller. */
  useChallenge(accountId: number, digest: string, expiresAt: Milliseconds): Promise<boolean>;
}
