/** Arguments of the form `key=value`. */

import { listed } from '../domain/describe.ts';
import { Failure } from '../domain/failure.ts';

/** `key=value` arguments as an object. Throws `value_invalid`. */
export function readPairs(pairs: readonly string[]): Record<string, string> {
  const read = new Map<string, string>();
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    const key = pair.slice(0, at);
    if (at < 1) throw new Failure('value_invalid', { message: `${pair} must have the form key=value` });
    if (read.has(key)) throw new Failure('value_invalid', { name: key, message: `${key} must not be repeated` });
    read.set(key, pair.slice(at + 1));
  }
  return Object.fromEntries(read);
}

/** How the text after each key becomes members. */
export type PairReaders<Members> = Readonly<
  Record<string, (text: string, key: string) => Partial<Members> | Promise<Partial<Members>>>
>;

/** The members that the arguments set. Throws `value_invalid`, for a key without a reader too. */
export async function readMembers<Members extends object>(
  pairs: readonly string[],
  readers: PairReaders<Members>,
): Promise<Partial<Members>> {
  let members: Partial<Members> = {};
  for (const [key, text] of Object.entries(readPairs(pairs))) {
    const read = Object.hasOwn(readers, key) ? readers[key] : undefined;
    if (!read) throw refused(key, `cannot be set; keys are ${listed(Object.keys(readers))}`);
    members = { ...members, ...(await read(text, key)) };
  }
  return members;
}

/** The help of a command with such arguments. */
export function keysOf<Members>(readers: PairReaders<Members>): string {
  return `\nKeys: ${Object.keys(readers).join(', ')}`;
}

function refused(key: string, why: string): Failure {
  return new Failure('value_invalid', { name: key, message: `${key} ${why}` });
}

/** Words with commas between them. */
export function readWords(text: string): string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean);
}

/** Throws `value_invalid`. */
export function readSwitch(text: string, key: string): boolean {
  if (text === 'on' || text === 'off') return text === 'on';
  throw refused(key, 'must be on or off');
}

/** Throws `value_invalid`. */
export function readOne<const Choice extends string>(text: string, key: string, choices: readonly Choice[]): Choice {
  const found = choices.find((choice) => choice === text);
  if (found === undefined) throw refused(key, `must be ${choices.join(' or ')}`);
  return found;
}

/** A whole number; the domain knows its bounds. Throws `value_invalid`. */
export function readWhole(text: string, key: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw refused(key, 'must be a whole number');
}
