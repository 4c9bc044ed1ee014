/** What surrounds every verb: errors in the store's words, texts that no database can keep, one rule on transactions. */

import { Failure } from '../../domain/failure.ts';
import type { StoreVerbs } from '../store.ts';
import { translate } from './errors.ts';

/** Runs a verb's work, or refuses to. */
export type Around = <Result>(work: () => Promise<Result>) => Promise<Result>;

type Verb = (...given: readonly unknown[]) => Promise<unknown>;

/**
 * PostgreSQL cannot keep U+0000 in a text, SQLite cuts the text there in some functions; and a number that is no whole
 * one is an error to the one and no row to the other. Neither gets to see them.
 */
function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return !value.includes('\0');
  return typeof value !== 'number' || Number.isSafeInteger(value);
}

function areStorable(given: unknown): boolean {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return isStorable(given);
  return Object.values(given).every(isStorable);
}

function guardVerb(name: string, verb: Verb, around: Around): Verb {
  return async (...given) => {
    if (!given.every(areStorable)) {
      // What cannot be kept is not there.
      if (name.startsWith('find')) return null;
      throw new Failure('value_invalid', { message: 'a text contains U+0000, or a number is not whole' });
    }
    return around(() => verb(...given));
  };
}

/** The same verbs, each run by `around`; driver errors become failures. */
export function guardVerbs(verbs: StoreVerbs, around: Around): StoreVerbs {
  const translated: Around = async (work) => {
    try {
      return await around(work);
    } catch (error) {
      throw translate(error);
    }
  };
  const groups = Object.entries(verbs).map(([group, members]) => [
    group,
    Object.fromEntries(Object.entries<Verb>(members).map(([name, verb]) => [name, guardVerb(name, verb, translated)])),
  ]);
  return Object.fromEntries(groups) as StoreVerbs; // Same groups, same verbs.
}
