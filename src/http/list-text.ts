/**
 * The text of a list. A page of up to `atOnce` items is read at once, a longer one in slices by the ids of its items;
 * other work gets its turn between them. A short text is sent as a whole. Before a long one is sent, it takes a turn
 * among long lists, and it is read from its beginning again while its client takes it: no more than a slice and a piece
 * of text are in memory, and nothing but ids while it waits.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Account } from '../domain/accounts/account.ts';
import type { ListPage, ListQuery } from '../domain/listing.ts';
import { takeListTurn } from '../domain/long-lists.ts';
import type { Services } from '../services.ts';
import { TextParts } from './text-parts.ts';

/** Items that are read together; fewer where they are long. */
const atOnce = 50;
/** Characters that are written without a turn for others. */
const pieceLength = 2 ** 18;
/** Characters of a page that is sent as a whole. */
const mostTogether = 2 ** 21;

declare const item: unique symbol;

/** The body of an answer that is sent as a whole: a JSON array. */
export class JsonList<Item> {
  declare readonly [item]: Item;
  readonly json: string;

  constructor(json: string) {
    this.json = json;
  }
}

/** Reads the page, or a part of it. */
export type ReadPage<Item> = (query: ListQuery) => Promise<ListPage<Item>>;

/** How an item is shown. */
export type Show<Item> = (item: Item) => object;

export interface WrittenPage {
  /** Where in the list it is. */
  readonly position: Omit<ListPage<unknown>, 'items'>;
  readonly count: number;
  /** The whole JSON array, or one that is read as it is sent. */
  readonly json: string | TextParts;
}

/** Throws what `read` throws, and `unavailable` when too many long lists are under way. */
export async function writePage<Item>(
  services: Pick<Services, 'store'>,
  account: Account,
  query: ListQuery,
  read: ReadPage<Item>,
  show: Show<Item>,
): Promise<WrittenPage> {
  const { json, ...page } = await writeTogether(query, read, show);
  if (json !== null) return { ...page, json };
  const losing = new AbortController();
  const rest = writeInTurn(services, account, losing, slicesOf(page.position.ids ?? [], query, read), show);
  // So that a refusal is answered as such, and what fails before there is anything to send.
  const { value: first = '' } = await rest.next();
  return { ...page, json: new TextParts({ type: 'application/json', first, rest, lost: losing.signal }) };
}

/** The whole text; null where it would be too long. What was read of it is not kept then. */
async function writeTogether<Item>(
  query: ListQuery,
  read: ReadPage<Item>,
  show: Show<Item>,
): Promise<Omit<WrittenPage, 'json'> & { readonly json: string | null }> {
  if (query.limit <= atOnce) {
    const { items, ...position } = await read(query);
    const most = position.ids === undefined ? Number.POSITIVE_INFINITY : mostTogether;
    const { text, next } = writeItems(items, 0, show, most);
    return { position, count: items.length, json: next < items.length ? null : `[${text}]` };
  }
  const { items, ...position } = await read({ ...query, part: 'ids' });
  const { ids } = position;
  // What is counted up for the request is there, and short.
  if (ids === undefined) return { position, count: items.length, json: JSON.stringify(items.map(show)) };
  const json = await joined(piecesOf(slicesOf(ids, query, read), show, atOnce));
  return { position, count: ids.length, json };
}

async function joined(pieces: AsyncIterable<string>): Promise<string | null> {
  const texts: string[] = [];
  let length = 0;
  for await (const piece of pieces) {
    texts.push(piece);
    length += piece.length;
    if (length > mostTogether) return null;
  }
  return `[${texts.join(',')}]`;
}

/** The items from `first` on that fit into about `most` characters, at least one, and the place of the next one. */
function writeItems<Item>(
  items: readonly Item[],
  first: number,
  show: Show<Item>,
  most: number,
): { readonly text: string; readonly next: number } {
  const texts: string[] = [];
  let next = first;
  for (let length = 0; next < items.length && length <= most; next += 1) {
    const text = JSON.stringify(show(items[next] as Item));
    texts.push(text);
    length += text.length;
  }
  return { text: texts.join(','), next };
}

/** The items of a page. */
interface Slices<Item> {
  readonly count: number;
  /** Those from one place to another that are still there. */
  readonly read: (from: number, to: number) => Promise<readonly Item[]>;
}

function slicesOf<Item>(ids: readonly number[], query: ListQuery, read: ReadPage<Item>): Slices<Item> {
  return {
    count: ids.length,
    read: async (from, to) => (await read({ ...query, part: ids.slice(from, to) })).items,
  };
}

/** Texts of some items each. Where they are long, fewer are read at once: the first time `size`. */
async function* piecesOf<Item>(
  { count, read }: Slices<Item>,
  show: Show<Item>,
  size: number,
): AsyncGenerator<string, void, undefined> {
  let together = size;
  for (let from = 0; from < count; ) {
    const items = await read(from, from + together);
    from += together;
    let length = 0;
    for (let at = 0; at < items.length; ) {
      const { text, next } = writeItems(items, at, show, pieceLength);
      [at, length] = [next, length + text.length];
      yield text;
      await nextTurn();
    }
    const fitting = Math.floor((together * pieceLength) / Math.max(length, 1));
    together = Math.min(atOnce, 2 * together, Math.max(1, fitting));
  }
}

/** As long as it has its turn. */
async function* writeInTurn<Item>(
  services: Pick<Services, 'store'>,
  account: Account,
  losing: AbortController,
  slices: Slices<Item>,
  show: Show<Item>,
): AsyncGenerator<string, void, undefined> {
  const endTurn = await takeListTurn(services, account, (reason) => losing.abort(reason));
  try {
    let before = '[';
    for await (const piece of piecesOf(slices, show, 1)) {
      losing.signal.throwIfAborted();
      yield before + piece;
      before = ',';
    }
    yield before === '[' ? '[]' : ']';
  } finally {
    endTurn();
  }
}
