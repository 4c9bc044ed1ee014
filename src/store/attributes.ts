import type { ListPage, ListQuery } from './listing.ts';
import type { New } from './row.ts';
import type { Milliseconds } from './time.ts';

/** A user attribute that the account defines. */
export interface CustomAttributeRecord {
  readonly accountId: number;
  readonly id: number;
  readonly name: string;
  /** Unique in the account. */
  readonly shortname: string;
  readonly position: number;
  readonly createdAt: Milliseconds;
}

/** A user's value for a custom attribute. */
interface AttributeValue {
  readonly userId: number;
  readonly attributeId: number;
  readonly value: string;
}

type NewValue = Omit<AttributeValue, 'value'> & { readonly value: string | null };

/** Custom attributes of accounts. */
export interface AttributeStore {
  /** Throws `conflict` with name `shortname`. Without a position it is added at the end. */
  create(
    attribute: Omit<New<CustomAttributeRecord>, 'position'> & { readonly position?: number },
  ): Promise<CustomAttributeRecord>;
  find(accountId: number, id: number): Promise<CustomAttributeRecord | null>;
  /** All of the account, by id. */
  list(accountId: number): Promise<CustomAttributeRecord[]>;
  /** Fields: `id`, `name`, `shortname`, `position`. */
  page(accountId: number, query: ListQuery): Promise<ListPage<CustomAttributeRecord>>;
  /**
   * Throws `conflict` as `create` does; null when there is no such attribute. Position null: after all others.
   */
  update(
    accountId: number,
    id: number,
    changes: Partial<Pick<CustomAttributeRecord, 'name' | 'shortname'>> & { readonly position?: number | null },
  ): Promise<CustomAttributeRecord | null>;
  /** Removes the attribute and its values, as `UserStore.remove` does; false when there is none. */
  remove(accountId: number, id: number, at: Milliseconds): Promise<boolean>;
  /** The values of these users. */
  valuesOf(accountId: number, userIds: readonly number[]): Promise<AttributeValue[]>;
  /**
   * At most one value for each attribute of a user; null clears it. Throws `not_found` when there is no such user or
   * attribute.
   */
  setValues(accountId: number, values: readonly NewValue[]): Promise<void>;
}
