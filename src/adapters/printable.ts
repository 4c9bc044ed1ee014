/**
 * Makes the output of commands printable. It may contain text from strangers, and a terminal obeys some characters:
 * they move the cursor, set the clipboard or change the direction of a line. Every text of the command line is escaped
 * here.
 */

import { unprintable } from '../domain/unprintable.ts';

/** `kept`: characters that are not escaped. */
function everyUnprintableBut(kept: string): RegExp {
  return new RegExp(`(?![${kept}])${unprintable.source}`, 'gu');
}

const everyUnprintable = new RegExp(unprintable, 'gu');
const unprintableInLine = everyUnprintableBut('\t');
const unprintableInText = everyUnprintableBut('\t\n');

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** A value within a line: its line ends are escaped too. Tabs stay. */
export function printableValue(value: string): string {
  return value.replace(unprintableInLine, escaped);
}

/** What nearly every line of the log is made of alone. */
const plainText = /^[\t\n\x20-\x7e]*$/;

/** A text of several lines: everything unprintable except line ends and tabs is escaped. */
export function printableText(text: string): string {
  return plainText.test(text) ? text : text.replace(unprintableInText, escaped);
}

/** One JSON value in a line. `JSON.stringify` escapes C0 alone; the same value is read back. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value).replace(everyUnprintable, escaped);
}
