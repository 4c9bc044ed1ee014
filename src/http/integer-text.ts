/** How integers and ids are written in texts: paths, queries and documents. */

/**
 * Whether a text is an integer as the service writes it: no sign but a minus, no leading zero, no exponent, no other
 * base and no space, all of which `Number` accepts.
 */
export function isIntegerText(text: string): boolean {
  return /^(?:0|-?[1-9][0-9]*)$/.test(text);
}

/** The id that a text names, a positive integer up to `largest`; null for any other text. */
export function readId(text: string, largest = 2 ** 31 - 1): number | null {
  const id = /^[1-9][0-9]{0,15}$/.test(text) ? Number(text) : Number.NaN;
  return id <= largest ? id : null;
}
