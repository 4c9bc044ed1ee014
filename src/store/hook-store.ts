/** What can be asked of the store about Smart Hooks. A change moves the account's generation. */

import type {
  HookDefinition,
  HookExecutionRecord,
  HookRecord,
  HookVariableRecord,
  HookVersionRecord,
  LiveHook,
  StoredHook,
} from './hook-records.ts';
import type { ListPage, ListQuery } from './listing.ts';

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
   * One more version, now the newest. Only the newest ten are kept, beside the one that `runningVersion` names. Null when
   * there is no such hook.
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

export interface HookVariableStore {
  /** Throws `conflict` with name `name`. */
  create(variable: Omit<HookVariableRecord, 'id'>): Promise<HookVariableRecord>;
  find(accountId: number, uuid: string): Promise<HookVariableRecord | null>;
  /** All of the account, by number. */
  list(accountId: number): Promise<readonly HookVariableRecord[]>;
  /** Fields: `name`, `created_at`, `updated_at`. */
  page(accountId: number, query: ListQuery): Promise<ListPage<HookVariableRecord>>;
  /** Null when there is no such variable. */
  update(
    accountId: number,
    id: number,
    changes: Pick<HookVariableRecord, 'sealedValue' | 'updatedAt'>,
  ): Promise<HookVariableRecord | null>;
  /** False when there is none. */
  remove(accountId: number, id: number): Promise<boolean>;
}

export interface HookExecutionStore {
  add(executions: readonly Omit<HookExecutionRecord, 'id'>[]): Promise<void>;
  /** One more line of the record with this `requestId`, if it is still there. */
  addEvent(accountId: number, requestId: string, line: string): Promise<void>;
  /** Fields: `created_at`, `request_id`, `correlation_id`. */
  page(accountId: number, hookId: number, query: ListQuery): Promise<ListPage<HookExecutionRecord>>;
  /** By `requestId`. */
  find(accountId: number, requestId: string): Promise<HookExecutionRecord | null>;
}
