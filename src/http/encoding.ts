/** Faults that parsers ignore: bytes that are not text, and repeated members of a JSON object. */

import { isUtf8 } from 'node:buffer';

/** Whether the percent-encoded bytes of a query or a form are UTF-8; parsers replace invalid ones with U+FFFD. */
export function isUtf8Form(text: string): boolean {
  if (!/%[89A-Fa-f]|[^\x20-\x7e]/.test(text)) return true;
  const bytes = text.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return isUtf8(Buffer.from(bytes, 'latin1'));
}

/**
 * The first repeated name in an object of a JSON text, or null. A parser keeps the last of the two values, while
 * another reader of the same text may keep the first (RFC 8259 §4). The text must be valid JSON.
 */
export function findRepeatedName(text: string): string | null {
  /** The names so far in each open object; null for an array. */
  const open: (Set<string> | null)[] = [];
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"\s*:?|[{}[\]]/g)) {
    if (token === '{') open.push(new Set());
    else if (token === '[') open.push(null);
    else if (token === '}' || token === ']') open.pop();
    else if (token.endsWith(':')) {
      const name = JSON.parse(token.slice(0, -1)) as string;
      const names = open.at(-1);
      if (names?.has(name)) return name;
      names?.add(name);
    }
  }
  return null;
}
