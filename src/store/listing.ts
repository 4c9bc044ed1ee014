/** The request for a list and its result: the same for every list of the management API, on both databases. */

type ListValue = string | number;

/** A condition on a field of an item. */
export interface ListFilter {
  /** A field of the list. */
  readonly field: string;
  /** `from` and `to` include their bound; `in` takes any of the values; all others are for texts. */
  readonly test: 'is' | 'in' | 'begins' | 'ends' | 'holds' | 'from' | 'to';
  /** At least one; several only with `in`. */
  readonly values: readonly ListValue[];
  /** Which one, if the field stands for many (a custom attribute's id). */
  readonly of?: number;
}

/** A position in an order: the sort key of a page's last or first item, and its id. */
export interface ListPosition {
  readonly key: ListValue;
  readonly id: number;
}

export interface ListQuery {
  readonly sort: { readonly field: string; readonly descending: boolean };
  readonly filters: readonly ListFilter[];
  /** Maximum number of items. */
  readonly limit: number;
  /**
   * A numbered page (the first is 1) with the total; or the items next to a position, always in the order of `sort`.
   */
  readonly at: { readonly page: number } | { readonly after: ListPosition } | { readonly before: ListPosition };
  /**
   * What is read of the page, for pages that are read in slices. `ids`: its position and the ids of its items, without
   * the items. Ids of it: those items that are still there, in this order, without a position. Default: all.
   */
  readonly part?: 'ids' | readonly number[];
}

/** In items. For a page this short, handing it over from a thread would take as long as reading it. */
export const shortPage = 100;

/** Whether a page is next to a position, without a filter, and short: some rows by an index alone. */
export function isShort({ at, filters, limit }: ListQuery): boolean {
  return !('page' in at) && filters.length === 0 && limit <= shortPage;
}

export interface ListPage<Item> {
  readonly items: readonly Item[];
  /** Of the items on the page, if the list can be read by them. */
  readonly ids?: readonly number[];
  /** Position of the first item if there are others before it, else null. */
  readonly before: ListPosition | null;
  /** Position of the last item if there are others after it, else null. */
  readonly after: ListPosition | null;
  /** Number of items that satisfy the filters; null next to a position. */
  readonly total: number | null;
}
