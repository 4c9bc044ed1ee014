/**
 * What a command prints may hold what strangers wrote, and a terminal obeys some characters: it moves the cursor, sets
 * the clipboard or turns the direction of a line. Every text of the command line passes here before it is written.
 */

import { unprintable } from '../domain/unprintable.ts';

const everyUnprintable = new RegExp(unprintable, 'gu');

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** A value within a line: its line ends do not begin a line either. Tabs stay. */
export function printableValue(value: string): string {
  return value.replace(everyUnprintable, (character) => (character === '\t' ? character : escaped(character)));
}

/** A text that is composed of lines: what is not a line end or a tab is escaped. */
export function printableText(text: string): string {
  return text.replace(everyUnprintable, (character) => ('\t\n'.includes(character) ? character : escaped(character)));
}

/** One JSON value in a line. `JSON.stringify` escapes C0 alone; the same value is read back. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value).replace(everyUnprintable, escaped);
}
