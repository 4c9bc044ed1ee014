import { hasControlCharacter } from './control-characters.ts';
import { isUtf8Form } from './encoding.ts';

/**
 * Reads from any query string the parameters with one of the `known` names that are valid text and given once. Never
 * fails: repeated, empty and malformed parameters count as left out.
 */
export function readAnyQuery(url: string, known: readonly { readonly name: string }[]): Record<string, string> {
  const question = url.indexOf('?');
  const given = new Map<string, string | null>();
  for (const field of question < 0 ? [] : url.slice(question + 1).split('&')) {
    const [[name = '', value = ''] = []] = new URLSearchParams(`&${field}`);
    const isText = isUtf8Form(field) && value !== '' && !hasControlCharacter(value);
    given.set(name, isText && !given.has(name) ? value : null);
  }
  return Object.fromEntries(
    known.flatMap(({ name }) => {
      const value = given.get(name);
      return value === undefined || value === null ? [] : [[name, value]];
    }),
  );
}
