/**
 * What a command prints may hold what strangers wrote, and a terminal obeys some characters: it moves the cursor, sets
 * the clipboard or turns the direction of a line. Every text of the command line passes here before it is written.
 */

import { unprintable } from '../domain/unprintable.ts';

/** `kept`: those that are left as they are. */
function everyUnprintableBut(kept: string): RegExp {
  return new RegExp(`(?![${kept}])${unprintable.source}`, 'gu');
}

const everyUnprintable = new RegExp(unprintable, 'gu');
const unprintableInLine = everyUnprintableBut('\t');
const unprintableInText = everyUnprintableBut('\t\n');

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** A value within a line: its line ends do not begin a line either. Tabs stay. */
export function printableValue(value: string): string {
  return value.replace(unprintableInLine, escaped);
}

/** A text that is composed of lines: what is not a line end or a tab is escaped. */
export function printableText(text: string): string {
  return text.replace(unprintableInText, escaped);
}

/** One JSON value in a line. `JSON.stringify` escapes C0 alone; the same value is read back. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value).replace(everyUnprintable, escaped);
}
