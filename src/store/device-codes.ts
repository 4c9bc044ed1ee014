import type { InFlight } from './authorizations.ts';
import type { Milliseconds } from './time.ts';

/** What a device waits for (RFC 8628 §3.2): a decision that a user makes in a browser elsewhere. */
export interface DeviceCodeRecord {
  readonly accountId: number;
  /** Of the device code. */
  readonly digest: string;
  /** Of what the user types: keyed, since it is short. */
  readonly userCodeDigest: string;
  readonly appId: number;
  readonly scope: readonly string[];
  /** The one API authorization server that it is for; null: any that the client is linked to. */
  readonly serverId: number | null;
  /** How long the device waits between two questions; grows when it does not. */
  readonly intervalSeconds: number;
  /** Before then a question is too early. */
  readonly nextPollAt: Milliseconds;
  /** What the user decided; null until then. */
  readonly decision: 'allow' | 'deny' | null;
  readonly userId: number | null;
  /** How the user had shown who they are; null until they allowed it. */
  readonly amr: readonly string[] | null;
  readonly authenticatedAt: Milliseconds | null;
  /** The session in which they decided, and when; null until then, and where an older release kept the decision. */
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
  /** Throws `conflict` with name `user_code_digest` for a user code that another one has. */
  create(code: DeviceCodeRecord): Promise<void>;
  find(accountId: number, digest: string): Promise<DeviceCodeRecord | null>;
  findByUserCode(accountId: number, userCodeDigest: string): Promise<DeviceCodeRecord | null>;
  /** Keeps what was decided: true for exactly one caller, before `expiresAt`. */
  decide(accountId: number, digest: string, decision: DeviceDecision, now: Milliseconds): Promise<boolean>;
  /**
   * Whether the device may ask now; when it may not, its interval grows. Either way it waits for its interval from now
   * on.
   */
  poll(accountId: number, digest: string, now: Milliseconds): Promise<boolean>;
  /** Uses up a code that was allowed: true for exactly one caller, before `expiresAt`. */
  consume(accountId: number, digest: string, now: Milliseconds): Promise<boolean>;
  /** Denies what was allowed and not used. */
  endAllowed(accountId: number, whose: InFlight): Promise<void>;
}
