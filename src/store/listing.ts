/** What a list is asked for and answers with: one form for every list of the management API, on both databases. */

export type ListValue = string | number;

/** What a field of an item must satisfy. */
export interface ListFilter {
  /** A field that the list names. */
  readonly field: string;
  /** `from` and `to` include their bound; `in` takes any of the values; the rest is about texts. */
  readonly test: 'is' | 'in' | 'begins' | 'ends' | 'holds' | 'from' | 'to';
  /** At least one; more than one with `in` only. */
  readonly values: readonly ListValue[];
  /** Which one, where a field stands for many (a custom attribute's id). */
  readonly of?: number;
}

/** Where a page ends in an order: the sort key of its last or first item, and its id. */
export interface ListPosition {
  readonly key: ListValue;
  readonly id: number;
}

export interface ListQuery {
  readonly sort: { readonly field: string; readonly descending: boolean };
  readonly filters: readonly ListFilter[];
  /** Items a page, at most. */
  readonly limit: number;
  /**
   * A numbered page, the first is 1, with the total; or the items next to a position, in the order of `sort` all the
   * same.
   */
  readonly at: { readonly page: number } | { readonly after: ListPosition } | { readonly before: ListPosition };
}

export interface ListPage<Item> {
  readonly items: readonly Item[];
  /** Position of the first item when there are others before it, else null. */
  readonly before: ListPosition | null;
  /** Position of the last item when there are others after it, else null. */
  readonly after: ListPosition | null;
  /** How many items satisfy the filters; null next to a position. */
  readonly total: number | null;
}
