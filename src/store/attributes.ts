import type { ListPage, ListQuery } from './listing.ts';
import type { New } from './row.ts';
import type { Milliseconds } from './time.ts';

/** A member that the account adds to its users. */
export interface CustomAttributeRecord {
  readonly accountId: number;
  readonly id: number;
  readonly name: string;
  /** Unique in the account. */
  readonly shortname: string;
  readonly position: number;
  readonly createdAt: Milliseconds;
}

/** What a user has for a custom attribute. */
export interface AttributeValue {
  readonly userId: number;
  readonly attributeId: number;
  readonly value: string;
}

/** Members that accounts add to their users. */
export interface AttributeStore {
  /** Throws `conflict` with name `shortname`. Without a position it gets the one after the last. */
  create(
    attribute: Omit<New<CustomAttributeRecord>, 'position'> & { readonly position?: number },
  ): Promise<CustomAttributeRecord>;
  find(accountId: number, id: number): Promise<CustomAttributeRecord | null>;
  /** All of the account, by id. */
  list(accountId: number): Promise<CustomAttributeRecord[]>;
  /** Fields: `id`, `name`, `shortname`, `position`. */
  page(accountId: number, query: ListQuery): Promise<ListPage<CustomAttributeRecord>>;
  /** Throws `conflict` as `create` does; null when there is no such attribute. */
  update(
    accountId: number,
    id: number,
    changes: Partial<Pick<CustomAttributeRecord, 'name' | 'shortname' | 'position'>>,
  ): Promise<CustomAttributeRecord | null>;
  /** Removes the attribute and its values, as `UserStore.remove`; false when there is none. */
  remove(accountId: number, id: number, at: Milliseconds): Promise<boolean>;
  /** What these users have. */
  valuesOf(accountId: number, userIds: readonly number[]): Promise<AttributeValue[]>;
  /** Null takes the value away. Throws `not_found` when there is no such user or attribute. */
  setValue(accountId: number, userId: number, attributeId: number, value: string | null): Promise<void>;
}
