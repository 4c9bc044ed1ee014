/** Smart Hooks (the document's §2.3, §2.4). A change raises the account's generation. */

import type { ListPage, ListQuery } from './listing.ts';
import type { Milliseconds } from './time.ts';

export type HookType = 'pre-authentication' | 'user-migration';

/** The state of the requested version's packages; a hook without packages is `ready` at once. */
export type HookStatus =
  | 'ready'
  | 'create-queued'
  | 'create-running'
  | 'create-failed'
  | 'update-queued'
  | 'update-running'
  | 'update-failed';

/** Options that add to the context. */
export interface HookOptions {
  readonly riskEnabled: boolean;
  readonly locationEnabled: boolean;
  readonly mfaDeviceInfoEnabled: boolean;
  readonly failedLoginAttemptsEnabled: boolean;
}

export interface HookCondition {
  readonly source: 'roles';
  /** `~`: the user has the role; `!~`: the user does not have it. */
  readonly operator: '~' | '!~';
  /** Id or name of a role. */
  readonly value: string;
}

/** The contents of a write to a hook. */
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
  /** Variables by number; removed ones may still be listed and are ignored. */
  readonly variableIds: readonly number[];
  /** Exact versions by name. */
  readonly packages: Readonly<Record<string, string>>;
  readonly conditions: readonly HookCondition[];
  /** As sent: a version, or a range of versions. */
  readonly contextVersion: string;
}

/** One write to a hook; earlier ones are kept. */
export interface HookVersionRecord extends HookDefinition {
  readonly accountId: number;
  readonly hookId: number;
  readonly version: number;
  /** The build of its packages; null without packages. */
  readonly packageBuildId: number | null;
  /** Kind of the actor that wrote it, as in the trail; null for a version from before authors were kept. */
  readonly authorType: string | null;
  /** Null where the actor has none. */
  readonly authorId: number | null;
  readonly createdAt: Milliseconds;
}

export interface HookRecord {
  readonly accountId: number;
  /** Internal number; the wire uses `uuid`. */
  readonly id: number;
  readonly uuid: string;
  readonly type: HookType;
  readonly disabled: boolean;
  /** The version that was requested last. */
  readonly version: number;
  /** The version that runs while the packages of `version` are not ready; null: none. */
  readonly runningVersion: number | null;
  /** A draft in base64 that runs beside the running version without effect; null: none. */
  readonly shadowFunction: string | null;
  /** When the draft was set; later each time. Null: there is none. */
  readonly shadowSetAt: Milliseconds | null;
  readonly createdAt: Milliseconds;
  readonly updatedAt: Milliseconds;
}

/** A hook with the versions that may run: the newest, or the former one until the newest one's packages are ready. */
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

type Author = Pick<HookVersionRecord, 'authorType' | 'authorId'>;
type NewHook = Pick<HookRecord, 'accountId' | 'uuid' | 'createdAt' | 'updatedAt'> & Author;

/** How often a draft ended as the version beside it, and otherwise. */
export interface DraftCounts {
  readonly same: number;
  readonly different: number;
}

/** `released`, and the result of `remove`: builds that no version of the account uses any more. */
export interface HookStore {
  /** Version 1 of a new hook. */
  create(hook: NewHook, definition: HookDefinition, packageBuildId: number | null): Promise<StoredHook>;
  /** With the version that was requested last. */
  find(accountId: number, uuid: string): Promise<StoredHook | null>;
  /** The UUID of the hook with this number. */
  findUuid(accountId: number, id: number): Promise<string | null>;
  /** How many the account has. */
  count(accountId: number): Promise<number>;
  /** With the versions requested last. Fields: `created_at`, `updated_at`, `type`. */
  page(accountId: number, query: ListQuery): Promise<ListPage<StoredHook>>;
  /**
   * Adds a version, now the newest. Only the newest ten are kept, plus the one that `runningVersion` names. Null when
   * there is no such hook.
   */
  addVersion(
    hook: Pick<HookRecord, 'accountId' | 'id' | 'runningVersion' | 'updatedAt'> & Author,
    definition: HookDefinition,
    packageBuildId: number | null,
  ): Promise<{ readonly stored: StoredHook; readonly released: readonly number[] } | null>;
  /** All that are kept, newest first. */
  listVersions(accountId: number, hookId: number): Promise<readonly HookVersionRecord[]>;
  findVersion(accountId: number, hookId: number, version: number): Promise<HookVersionRecord | null>;
  /** The newest version of whichever hook uses this build. */
  findByBuild(accountId: number, packageBuildId: number): Promise<HookVersionRecord | null>;
  /** The newest one below `version`. */
  findVersionBefore(accountId: number, hookId: number, version: number): Promise<HookVersionRecord | null>;
  /** Comparisons are counted from zero again. False when there is no such hook. */
  setShadow(
    accountId: number,
    hookId: number,
    draft: { readonly function: string; readonly setAt: Milliseconds } | null,
  ): Promise<boolean>;
  /** Comparisons with the draft that was set then; null when there is another one, or none. */
  countComparisons(accountId: number, hookId: number, setAt: Milliseconds): Promise<DraftCounts | null>;
  /** Removes the hook with its versions; null when there is none. */
  remove(accountId: number, hookId: number): Promise<readonly number[] | null>;
  /** For each runtime, how many hooks that are not disabled name it in their newest version, over all accounts. */
  countRuntimes(): Promise<readonly { readonly runtime: string; readonly hooks: number }[]>;
  /** Accounts with hooks that are not disabled, most recently run first. */
  listAccounts(limit: number): Promise<readonly number[]>;
  /** Hooks that are not disabled, in order of creation. */
  listLive(accountId: number): Promise<readonly LiveHook[]>;
}
