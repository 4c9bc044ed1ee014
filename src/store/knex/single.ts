/** Turns a function for many items into one for a single item. */
export function single<Item, Result extends object>(
  all: (batch: readonly Item[]) => Promise<readonly Result[]>,
): (item: Item) => Promise<Result> {
  return async (item) => {
    const [result] = await all([item]);
    if (!result) throw new Error('a batch of one has no result');
    return result;
  };
}
