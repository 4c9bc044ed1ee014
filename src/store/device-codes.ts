import type { InFlight } from './authorizations.ts';
import type { Milliseconds } from './time.ts';

/** A waiting device (RFC 8628 §3.2): its user decides in a browser elsewhere. */
export interface DeviceCodeRecord {
  readonly accountId: number;
  /** Digest of the device code. */
  readonly digest: string;
  /** Digest of the user code: keyed, since it is short. */
  readonly userCodeDigest: string;
  readonly appId: number;
  readonly scope: readonly string[];
  /** The only API authorization server that it is for; null: all that the client is linked to. */
  readonly serverId: number | null;
  /** The minimum interval between polls; grows when the device does not keep to it. */
  readonly intervalSeconds: number;
  /** An earlier poll is too early. */
  readonly nextPollAt: Milliseconds;
  /** The user's decision; null until then. */
  readonly decision: 'allow' | 'deny' | null;
  readonly userId: number | null;
  /** How the user had authenticated; null until they allowed it. */
  readonly amr: readonly string[] | null;
  readonly authenticatedAt: Milliseconds | null;
  /** The session and time of the decision; null until then, and for a decision stored by an older release. */
  readonly sid: string | null;
  readonly decidedAt: Milliseconds | null;
  /** What they allowed at APIs, as grants keep it; null until then, and where an older release kept the decision. */
  readonly apiScopes: readonly string[] | null;
  readonly createdAt: Milliseconds;
  readonly expiresAt: Milliseconds;
}

/** What a user decided about a device, and who it was. */
type DeviceDecision = Pick<
  DeviceCodeRecord,
  'decision' | 'userId' | 'amr' | 'authenticatedAt' | 'sid' | 'decidedAt' | 'apiScopes'
>;

export interface DeviceCodeStore {
  /** Throws `conflict` with name `user_code_digest` when another device has the user code. */
  create(code: DeviceCodeRecord): Promise<void>;
  find(accountId: number, digest: string): Promise<DeviceCodeRecord | null>;
  findByUserCode(accountId: number, userCodeDigest: string): Promise<DeviceCodeRecord | null>;
  /** Stores the decision: true for exactly one caller, before `expiresAt`. */
  decide(accountId: number, digest: string, decision: DeviceDecision, now: Milliseconds): Promise<boolean>;
  /**
   * Whether the device may poll now; if not, its interval grows. In any case it must wait for its interval from now on.
   */
  poll(accountId: number, digest: string, now: Milliseconds): Promise<boolean>;
  /** Uses up an approved code: true for exactly one caller, before `expiresAt`. */
  consume(accountId: number, digest: string, now: Milliseconds): Promise<boolean>;
  /** Denies codes that were approved and not used. */
  endAllowed(accountId: number, whose: InFlight): Promise<void>;
}
