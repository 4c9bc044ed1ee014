/** The first line of a CSV file: which columns there may be. */

import { attributePrefix, broken, personMembers } from './person.ts';

const columns = personMembers.filter((name) => name !== 'custom_attributes');
/** Of those that are unknown. */
const mostNamed = 5;

/**
 * Throws `value_invalid` for a column that is no member of a person and no custom attribute of these. It is told about
 * the file once, since every line has it, and those whose cell is empty would not show it.
 */
export function requireColumns(names: readonly string[], attributes: Pick<ReadonlySet<string>, 'has'>): void {
  const isKnown = (name: string) =>
    columns.includes(name) || (name.startsWith(attributePrefix) && attributes.has(name.slice(attributePrefix.length)));
  const unnamed = names.findIndex((name) => name.trim() === '');
  if (unnamed >= 0) throw broken(`the first line must name each column; it has no name for column ${unnamed + 1}`);
  const unknown = names.filter((name) => !isKnown(name));
  if (unknown.length === 0) return;
  const twisted = unknown.some((name) => name.includes('\r'));
  if (twisted) throw broken('the first line does not end in a line feed; save the file again with line feeds');
  const [only = ''] = names;
  if (names.length === 1 && /[;\t]/.test(only)) throw broken('the first line must have commas between the columns');
  const shown = unknown.slice(0, mostNamed).map((name) => name.slice(0, 64));
  const more = unknown.length > mostNamed ? ` and ${unknown.length - mostNamed} more` : '';
  throw broken(
    `the first line has columns that are unknown: ${shown.join(', ')}${more}; columns are ${columns.join(', ')}, and ` +
      `${attributePrefix}<short name> for each custom attribute that the account defines`,
  );
}
