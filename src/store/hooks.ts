/** Smart Hooks (the document's §2.3, §2.4). A change moves the account's generation. */

import type { ListPage, ListQuery } from './listing.ts';
import type { Milliseconds } from './time.ts';

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

type NewHook = Pick<HookRecord, 'accountId' | 'uuid' | 'createdAt' | 'updatedAt'>;

/** `released`, and what `remove` answers: builds of packages that no version of the account uses any more. */
export interface HookStore {
  /** Version 1 of a new hook. */
  create(hook: NewHook, definition: HookDefinition, packageBuildId: number | null): Promise<StoredHook>;
  /** With the version that was asked for last. */
  find(accountId: number, uuid: string): Promise<StoredHook | null>;
  /** The UUID of the hook with this number. */
  findUuid(accountId: number, id: number): Promise<string | null>;
  /** How many the account has. */
  count(accountId: number): Promise<number>;
  /** With the versions asked for last. Fields: `created_at`, `updated_at`, `type`. */
  page(accountId: number, query: ListQuery): Promise<ListPage<StoredHook>>;
  /**
   * One more version, now the newest. Only the newest ten are kept, beside the one that `runningVersion` names. Null
   * when there is no such hook.
   */
  addVersion(
    hook: Pick<HookRecord, 'accountId' | 'id' | 'runningVersion' | 'updatedAt'>,
    definition: HookDefinition,
    packageBuildId: number | null,
  ): Promise<{ readonly stored: StoredHook; readonly released: readonly number[] } | null>;
  findVersion(accountId: number, hookId: number, version: number): Promise<HookVersionRecord | null>;
  /** The newest one below `version`. */
  findVersionBefore(accountId: number, hookId: number, version: number): Promise<HookVersionRecord | null>;
  /** False when there is no such hook. */
  setShadow(accountId: number, hookId: number, shadowFunction: string | null): Promise<boolean>;
  /** Removes the hook with its versions; null when there is none. */
  remove(accountId: number, hookId: number): Promise<readonly number[] | null>;
  /** How many hooks that are not disabled name each runtime, of all accounts, by their newest version. */
  countRuntimes(): Promise<readonly { readonly runtime: string; readonly hooks: number }[]>;
  /** Accounts with hooks that are not disabled: first those whose hooks ran last. */
  listAccounts(limit: number): Promise<readonly number[]>;
  /** Hooks that are not disabled, in order of creation. */
  listLive(accountId: number): Promise<readonly LiveHook[]>;
}
