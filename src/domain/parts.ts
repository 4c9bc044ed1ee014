/** Items in their order, in parts whose sizes together are at most so much; an item that is larger is a part alone. */
export function* partsOf<Item>(
  items: Iterable<Item>,
  most: number,
  sizeOf: (item: Item) => number,
): Generator<readonly Item[], void, undefined> {
  let part: Item[] = [];
  let size = 0;
  for (const item of items) {
    const more = sizeOf(item);
    if (part.length > 0 && size + more > most) {
      yield part;
      [part, size] = [[], 0];
    }
    part.push(item);
    size += more;
  }
  if (part.length > 0) yield part;
}
