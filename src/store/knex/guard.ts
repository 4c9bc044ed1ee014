/**
 * Wraps every store function: translates errors, rejects texts that no database can store, enforces one rule about
 * transactions.
 */

import { Failure } from '../../domain/failure.ts';
import type { StoreVerbs } from '../store.ts';
import { translate } from './errors.ts';

/** Runs a verb's work, or refuses to. */
export type Around = <Result>(work: () => Promise<Result>) => Promise<Result>;

type Verb = (...given: readonly unknown[]) => Promise<unknown>;

/**
 * PostgreSQL cannot store U+0000 in a text, and some functions of SQLite truncate the text there. A number that is not
 * an integer is an error in one database and matches no row in the other. Neither database gets to see such values.
 */
function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return !value.includes('\0');
  return typeof value !== 'number' || Number.isSafeInteger(value);
}

/** A value, a record, or a list of records. */
function areStorable(given: unknown): boolean {
  if (typeof given !== 'object' || given === null) return isStorable(given);
  if (Array.isArray(given)) return given.every((one) => typeof one !== 'object' || areStorable(one));
  return Object.values(given).every(isStorable);
}

function guardVerb(name: string, verb: Verb, around: Around): Verb {
  return async (...given) => {
    if (!given.every(areStorable)) {
      // A value that cannot be stored does not exist.
      if (name.startsWith('find')) return null;
      throw new Failure('value_invalid', { message: 'a text contains U+0000, or a number is not whole' });
    }
    return around(() => verb(...given));
  };
}

/** Has each function of a noun run by `around`; driver errors become failures. */
export function guard(around: Around): (verbs: object) => object {
  const translated: Around = async (work) => {
    try {
      return await around(work);
    } catch (error) {
      throw translate(error);
    }
  };
  return (verbs) =>
    Object.fromEntries(
      Object.entries<Verb>(verbs as Readonly<Record<string, Verb>>).map(([name, verb]) => [
        name,
        guardVerb(name, verb, translated),
      ]),
    );
}

/** The same functions of all nouns, each run by `around`. */
export function guardVerbs(verbs: StoreVerbs, around: Around): StoreVerbs {
  const guarded = guard(around);
  const nouns = Object.entries(verbs).map(([noun, own]) => [noun, guarded(own)]);
  return Object.fromEntries(nouns) as StoreVerbs; // Same nouns, same functions.
}
