import { hash } from 'node:crypto';
import { type CopyRow, type CopyTable, unfinishedCopy } from '../../store/copying.ts';
import type { Store } from '../../store/store.ts';
import { masterKeyFact } from '../keys/master-key.ts';

/** What an unfinished copy says about itself; the text is a fact of the target. */
export interface Note {
  /** Which database it is a copy of. */
  readonly source: string;
  /** Rows of the tables that are copied already, by name. */
  readonly copied: Readonly<Record<string, number>>;
  /** Where the copy stands in the next table. */
  readonly current: { readonly table: string; readonly rows: number; readonly key: readonly (string | null)[] } | null;
}

/** Each installation seals this fact once, with random bytes. */
export async function identityOf(source: Pick<Store, 'facts'>): Promise<string> {
  return hash('sha256', (await source.facts.read(masterKeyFact)) ?? '');
}

/** The note of a copy that was begun, or null. */
export async function readNote(target: Pick<Store, 'facts'>): Promise<Note | null> {
  const text = await target.facts.read(unfinishedCopy);
  return text === null ? null : (JSON.parse(text) as Note);
}

export function writeNote(note: Note): string {
  return JSON.stringify(note);
}

/** The values of a key in a note: JSON has no numbers beyond 2^53. */
export function packKey(key: CopyRow): (string | null)[] {
  return key.map((value) => (value === null ? null : String(value)));
}

export function unpackKey({ key, columns }: CopyTable, packed: readonly (string | null)[]): CopyRow {
  return packed.map((value, place) => {
    const column = columns.find(({ name }) => name === key[place]);
    return value !== null && column?.holds === 'integer' ? BigInt(value) : value;
  });
}
