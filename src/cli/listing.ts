/** Lists of the command line. */

import type { Command } from 'commander';
import { Failure } from '../domain/failure.ts';
import type { ListFilter, ListPage, ListQuery } from '../domain/listing.ts';

const itemsAtOnce = 1000;

interface ListOptions {
  readonly sort: string;
  readonly filters?: readonly ListFilter[];
  /** Default: all. */
  readonly limit?: number | undefined;
}

/** The items of a list, which is read page by page, in the order of `sort`. */
export async function listItems<Item>(
  read: (query: ListQuery) => Promise<ListPage<Item>>,
  { sort, filters = [], limit = Number.POSITIVE_INFINITY }: ListOptions,
): Promise<Item[]> {
  const found: Item[] = [];
  let after: ListPage<Item>['after'] = { key: 0, id: 0 };
  while (after !== null && found.length < limit) {
    const page: ListPage<Item> = await read({
      sort: { field: sort, descending: false },
      filters,
      limit: Math.min(itemsAtOnce, limit - found.length),
      at: { after },
    });
    found.push(...page.items);
    after = page.after;
  }
  return found;
}

/** The options of a command with `addLimitOption`. */
export interface Limited {
  readonly limit?: string;
}

/** Adds the option for the number of items, which `readLimit` reads. */
export function addLimitOption(command: Command, meaning = 'maximum number of items'): Command {
  return command.option('--limit <number>', meaning);
}

/** Undefined where it was not given. Throws `value_invalid`. */
export function readLimit(text: string | undefined): number | undefined {
  if (text === undefined || /^[1-9]\d{0,9}$/.test(text)) return text === undefined ? text : Number(text);
  throw new Failure('value_invalid', { name: 'limit', message: 'limit must be a positive whole number' });
}
