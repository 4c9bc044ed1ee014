/** The verb for one of what `all` takes many of. */
export function single<Item, Result extends object>(
  all: (batch: readonly Item[]) => Promise<readonly Result[]>,
): (item: Item) => Promise<Result> {
  return async (item) => {
    const [result] = await all([item]);
    if (!result) throw new Error('a batch of one has no result');
    return result;
  };
}
