/** Variables that hook functions read. A change raises the account's generation. */

import type { ListPage, ListQuery } from './listing.ts';
import type { Milliseconds } from './time.ts';

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
