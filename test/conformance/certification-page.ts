/** The tables of docs/conformance.md and docs/fapi.md. */

import { readFileSync } from 'node:fs';

/** The rows below a heading of a page, as module or clause and text. */
export function rowsOf(heading: string, page = 'docs/conformance.md'): [module: string, text: string][] {
  const text = readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8');
  const [, section = ''] = text.split(`## ${heading}\n`);
  const [own = ''] = section.split('\n## ');
  return [...own.matchAll(/^\| `(\S+)` \| (.*) \|$/gm)].map(([, module = '', words = '']) => [module, words]);
}
