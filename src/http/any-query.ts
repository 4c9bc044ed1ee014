import { hasControlCharacter } from './control-characters.ts';
import { isUtf8Form } from './encoding.ts';

/**
 * Of a query string, however it was made, what is certain: the parameters that have one of `known` names, are given
 * once and are text. Never fails: what is given twice, empty or malformed counts as left out.
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
