/** Lists in the domain: `ListQuery` requests a page from the store, `ListPage` is one. */

export type { ListFilter, ListPage, ListPosition, ListQuery } from '../store/listing.ts';

import type { ListFilter, ListPage } from '../store/listing.ts';

/** The same page with other items. */
export function mapPage<Item, Other>(page: ListPage<Item>, map: (item: Item) => Other): ListPage<Other> {
  return { ...page, items: page.items.map(map) };
}

/** The filter that a text with `*` at its ends means. */
export function matching(field: string, text: string): ListFilter {
  const [open, close] = [text.startsWith('*'), text.length > 1 && text.endsWith('*')];
  const values = [text.slice(open ? 1 : 0, close ? -1 : undefined)];
  const test = open ? (close ? 'holds' : 'ends') : close ? 'begins' : 'is';
  return { field, test, values };
}
