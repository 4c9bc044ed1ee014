import { setImmediate as nextTurn } from 'node:timers/promises';

/** Rows per statement, for both databases. */
const atOnce = 400;

/** Other work gets its turn in between: SQLite runs synchronously, and a role has thousands of links. */
export async function* chunks<Item>(items: readonly Item[]): AsyncGenerator<readonly Item[]> {
  for (let at = 0; at < items.length; at += atOnce) {
    if (at > 0) await nextTurn();
    yield items.slice(at, at + atOnce);
  }
}
