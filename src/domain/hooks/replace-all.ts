/**
 * `String.prototype.replaceAll` in time in proportion to the text, whatever the pattern: V8 prepares only the end of a
 * long pattern, and compares what comes before it again at each place where the end fits.
 */

/** The longest pattern that V8 prepares whole. */
const longestPrepared = 250;

export function replaceAll(text: string, pattern: string, replacement: string): string {
  if (pattern.length <= longestPrepared) return text.replaceAll(pattern, replacement);
  // Most texts do not even have its beginning.
  const from = text.indexOf(pattern.slice(0, longestPrepared));
  return from < 0 ? text : replacedFrom(text, pattern, replacement, from);
}

/** By Knuth, Morris and Pratt. */
function replacedFrom(text: string, pattern: string, replacement: string, from: number): string {
  const borders = bordersOf(pattern);
  let replaced = '';
  let rest = 0;
  let length = 0;
  for (let at = from; at < text.length; at += 1) {
    length = continued(pattern, borders, length, text.charCodeAt(at));
    if (length < pattern.length) continue;
    replaced += text.slice(rest, at + 1 - length) + replacement;
    rest = at + 1;
    length = 0;
  }
  return replaced + text.slice(rest);
}

/** For each beginning of the pattern, by its length: the longest shorter one that it ends with. */
function bordersOf(pattern: string): Uint32Array {
  const borders = new Uint32Array(pattern.length);
  let length = 0;
  for (let at = 1; at < pattern.length; at += 1) {
    length = continued(pattern, borders, length, pattern.charCodeAt(at));
    borders[at] = length;
  }
  return borders;
}

/** How much of the pattern fits with one character more, after so much of it did. */
function continued(pattern: string, borders: Uint32Array, fitting: number, character: number): number {
  let length = fitting;
  while (length > 0 && pattern.charCodeAt(length) !== character) length = borders[length - 1] ?? 0;
  return pattern.charCodeAt(length) === character ? length + 1 : length;
}
