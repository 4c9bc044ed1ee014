/** What the store keeps of Smart Hooks (the document's §2.3, §2.4). Times are milliseconds since the epoch (UTC). */

type Milliseconds = number;

export type HookType = 'pre-authentication' | 'user-migration';

/** Where the packages of the version that was asked for stand; a hook without packages is `ready` at once. */
export type HookStatus =
  | 'ready'
  | 'create-queued'
  | 'create-running'
  | 'create-failed'
  | 'update-queued'
  | 'update-running'
  | 'update-failed';

/** What the context holds beyond its version. */
export interface HookOptions {
  readonly riskEnabled: boolean;
  readonly locationEnabled: boolean;
  readonly mfaDeviceInfoEnabled: boolean;
  readonly failedLoginAttemptsEnabled: boolean;
}

export interface HookCondition {
  readonly source: 'roles';
  /** `~`: the user has the role; `!~`: has not. */
  readonly operator: '~' | '!~';
  /** Id or name of a role. */
  readonly value: string;
}

/** What a write of a hook says. */
export interface HookDefinition {
  readonly type: HookType;
  /** Base64, as sent. */
  readonly function: string;
  readonly disabled: boolean;
  readonly runtime: string;
  readonly retries: number;
  readonly timeoutSeconds: number;
  /** Null: no flag was sent. */
  readonly options: HookOptions | null;
  /** Variables by number; one that was removed since stands here still and counts for nothing. */
  readonly variableIds: readonly number[];
  /** Exact versions by name. */
  readonly packages: Readonly<Record<string, string>>;
  readonly conditions: readonly HookCondition[];
  /** As sent: a version, or a range of versions. */
  readonly contextVersion: string;
}

/** One write of a hook, kept beside those before it. */
export interface HookVersionRecord extends HookDefinition {
  readonly accountId: number;
  readonly hookId: number;
  readonly version: number;
  /** The build of its packages; null without packages. */
  readonly packageBuildId: number | null;
  readonly createdAt: Milliseconds;
}

export interface HookRecord {
  readonly accountId: number;
  /** Numbers the hook inside; the wire knows `uuid`. */
  readonly id: number;
  readonly uuid: string;
  readonly type: HookType;
  readonly disabled: boolean;
  /** The version that was asked for last. */
  readonly version: number;
  /** The version that runs while the packages of `version` are not there; null: none. */
  readonly runningVersion: number | null;
  /** A draft in base64 that runs beside the running version and changes nothing; null: none. */
  readonly shadowFunction: string | null;
  readonly createdAt: Milliseconds;
  readonly updatedAt: Milliseconds;
}

/** A hook with what may run of it: its newest version, or the one before while the packages of that are not there. */
export interface LiveHook {
  readonly hook: HookRecord;
  readonly newest: HookVersionRecord;
  readonly former: HookVersionRecord | null;
}

/** A hook with one of its versions. */
export interface StoredHook {
  readonly hook: HookRecord;
  readonly definition: HookVersionRecord;
}

/** A value that functions read from their environment. */
export interface HookVariableRecord {
  readonly accountId: number;
  readonly id: number;
  readonly uuid: string;
  readonly name: string;
  /** Sealed under the account's data key. */
  readonly sealedValue: string;
  readonly createdAt: Milliseconds;
  readonly updatedAt: Milliseconds;
}

/**
 * How one run of a hook ended. Beside what the runner says: `refused`, the function refused the sign-in;
 * `invalid_result`, it answered what means nothing.
 */
export type HookOutcome =
  | 'success'
  | 'refused'
  | 'invalid_result'
  | 'error'
  | 'timeout'
  | 'out_of_memory'
  | 'crashed'
  | 'unavailable';

/** What sign-ins are compared by: digests, and a country code or null. */
export interface SignInTraitsRecord {
  readonly at: Milliseconds;
  readonly device: string;
  readonly network: string;
  readonly country: string | null;
}

/** One run of a hook. */
export interface HookExecutionRecord {
  readonly accountId: number;
  readonly id: number;
  readonly hookId: number;
  /** UUID of this run. */
  readonly requestId: string;
  /** UUID of the request that it was part of: the same for all runs of one sign-in. */
  readonly correlationId: string;
  readonly createdAt: Milliseconds;
  readonly outcome: HookOutcome;
  readonly durationMilliseconds: number;
  /** 1, and one more for each retry. */
  readonly attempt: number;
  /** Output lines, as they are shown. */
  readonly events: readonly string[];
  /** Context and answer, redacted and sealed, for a replay; null where the account keeps none. */
  readonly sealedReplay: string | null;
  readonly expiresAt: Milliseconds;
}
