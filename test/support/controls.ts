/** Characters that change how the text around them is shown. */

const range = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => String.fromCharCode(first + index));

/** Marks, embeddings, overrides and isolates of direction (Unicode UAX #9 §2). */
export const bidiControls: readonly string[] = [
  '\u061c',
  ...range(0x200e, 0x200f),
  ...range(0x202a, 0x202e),
  ...range(0x2066, 0x2069),
];

/** C0, DEL and C1. */
export const controls: readonly string[] = [...range(0, 0x1f), ...range(0x7f, 0x9f)];

/** Characters besides the controls that start a new line. */
export const lineSeparators: readonly string[] = range(0x2028, 0x2029);
