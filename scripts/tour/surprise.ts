/** Something is not as it should be; the message says what, for the person who reads along. */
export class Surprise extends Error {
  override readonly name = 'Surprise';
}

/** Throws a `Surprise` unless `condition` holds. */
export function expect(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Surprise(message);
}
