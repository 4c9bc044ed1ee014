/** What can be asked of the store about Smart Hooks. A change moves the account's generation. */

import type {
  HookDefinition,
  HookExecutionRecord,
  HookRecord,
  HookVariableRecord,
  HookVersionRecord,
  StoredHook,
} from './hook-records.ts';
import type { ListPage, ListQuery } from './listing.ts';

type NewHook = Omit<HookRecord, 'id' | 'version' | 'runningVersion' | 'type' | 'disabled' | 'shadowFunction'>;

export interface HookStore {
  /** Version 1 of a new hook, which runs when `status` is `ready`. */
  create(hook: NewHook, definition: HookDefinition): Promise<StoredHook>;
  /** With the version that was asked for last. */
  find(accountId: number, uuid: string): Promise<StoredHook | null>;
  /** How many the account has. */
  count(accountId: number): Promise<number>;
  /** With the versions asked for last. Fields: `created_at`, `updated_at`, `type`. */
  page(accountId: number, query: ListQuery): Promise<ListPage<StoredHook>>;
  /**
   * One more version, now the one asked for, which runs when `status` is `ready`. Only the newest ten are kept, beside
   * the one that runs. Null when there is no such hook.
   */
  addVersion(
    hook: Pick<HookRecord, 'accountId' | 'id' | 'status' | 'updatedAt'>,
    definition: HookDefinition,
    bundleDigest: string | null,
  ): Promise<StoredHook | null>;
  findVersion(accountId: number, hookId: number, version: number): Promise<HookVersionRecord | null>;
  /** The newest one below `version`. */
  findVersionBefore(accountId: number, hookId: number, version: number): Promise<HookVersionRecord | null>;
  /** False when there is no such hook. */
  setShadow(accountId: number, hookId: number, shadowFunction: string | null): Promise<boolean>;
  /** Removes the hook with its versions; false when there is none. */
  remove(accountId: number, hookId: number): Promise<boolean>;
  /** Hooks that are not disabled, each with the version that runs, in order of creation. */
  listLive(accountId: number): Promise<readonly StoredHook[]>;
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
  /** Fields: `created_at`, `request_id`, `correlation_id`. */
  page(accountId: number, hookId: number, query: ListQuery): Promise<ListPage<HookExecutionRecord>>;
  /** By `requestId`. */
  find(accountId: number, requestId: string): Promise<HookExecutionRecord | null>;
}
