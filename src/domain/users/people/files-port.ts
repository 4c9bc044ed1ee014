/** What reads and writes files of people: an adapter, whose libraries are loaded when they are needed. */

import type { ShownPerson } from './export.ts';
import type { FileRow } from './person.ts';

export interface PeopleFiles {
  /** Throws `value_invalid` with the line for invalid CSV, and what `requireColumns` throws for the first line. */
  readCsv(
    bytes: AsyncIterable<Uint8Array>,
    requireColumns: (columns: readonly string[]) => void,
  ): AsyncGenerator<FileRow>;
  /** One object in each line. */
  readJsonLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<FileRow>;
  /** The first line of a CSV file. */
  csvHeading(texts: readonly string[], attributes: readonly string[]): string;
  toCsv(people: readonly ShownPerson[], attributes: readonly string[]): string;
  toJsonLines(people: readonly ShownPerson[]): string;
}
