/** Text of every kind that the service takes, and the kinds it refuses. */

import fc from 'fast-check';

/** First and last code point; the simplest first, since shrinking goes that way. */
const classes: readonly (readonly [first: number, last: number])[] = [
  [0x61, 0x7a], // small letters
  [0x20, 0x7e], // printable ASCII, with all that has a meaning in URLs, headers, HTML and SQL
  [0x09, 0x0a], // tab and line feed
  [0x7f, 0x9f], // DEL and the C1 controls
  [0xa0, 0x24f], // Latin beyond ASCII, no-break space and soft hyphen
  [0x300, 0x36f], // combining marks
  [0x370, 0x52f], // Greek and Cyrillic
  [0x590, 0x6ff], // Hebrew and Arabic, written from right to left
  [0x200b, 0x200f], // zero width, and marks of direction
  [0x2028, 0x202e], // line separators and embeddings of direction
  [0x2066, 0x2069], // isolates of direction
  [0x4e00, 0x4eff], // Han
  [0xac00, 0xacff], // Hangul
  [0xe000, 0xe0ff], // private use
  [0xfe00, 0xfe0f], // variation selectors
  [0xfeff, 0xfeff], // byte order mark
  [0xfffd, 0xfffd], // replacement character
  [0x1f300, 0x1f6ff], // pictures, beyond the first plane
  [0x1fffe, 0x1ffff], // noncharacters of the second plane
  [0xe0001, 0xe007f], // tags
  [0x10fffd, 0x10ffff], // the last code points
];

const character = fc.oneof(
  ...classes.map(([min, max]) => fc.integer({ min, max }).map((point) => String.fromCodePoint(point))),
);

/** Text of one class. */
export function textOfOneClass(length: { minLength: number; maxLength: number }): fc.Arbitrary<string> {
  const units = classes.map(([min, max]) => fc.integer({ min, max }).map((point) => String.fromCodePoint(point)));
  return fc.oneof(...units.map((unit) => fc.string({ ...length, unit })));
}

/** Text of all classes that may be stored; lengths count code points, as JSON Schema does. */
export function anyText(length: { minLength: number; maxLength: number }): fc.Arbitrary<string> {
  return fc.string({ ...length, unit: character });
}

/** Text that holds one character no form of the service can carry. */
export const controlText: fc.Arbitrary<string> = fc
  .tuple(fc.constantFrom('\u0000', '\u0001', '\u0008', '\u000b', '\u001b', '\u001f', '\ufffe', '\uffff'), fc.boolean())
  .map(([control, first]) => (first ? `${control}a` : `a${control}b`));

/** A surrogate without its other half: JSON can write it, text cannot hold it. */
export const loneSurrogate: fc.Arbitrary<string> = fc.constantFrom('\ud800', 'a\udfff', '\udc00\ud800', 'x\ud83dy');

/** Bytes that are not UTF-8: stray, overlong, cut off, a surrogate, beyond the last code point. */
export const badUtf8: fc.Arbitrary<Buffer> = fc
  .constantFrom('ff', 'c0af', 'e282', 'eda080', 'f4908080', '80', 'c3')
  .map((hex) => Buffer.from(hex, 'hex'));
