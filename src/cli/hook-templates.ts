/** Templates of hooks, read from the page that documents them, so that both are the same. */

import { readFileSync } from 'node:fs';

export interface HookTemplate {
  readonly name: string;
  /** What it does, and which options it needs. */
  readonly about: string;
  readonly function: string;
  /** A context to try it with, as JSON. */
  readonly context: string;
  /** The command that tries it. */
  readonly command: string;
}

const page = new URL('../../docs/hook-templates.md', import.meta.url);

/** A section: its name, a paragraph, and a block of each language. */
const section =
  /^## (\S+)\n\n(.+?)\n\n```js[^\n]*\n(.+?)^```\n\n```json[^\n]*\n(.+?)^```\n\n```sh[^\n]*\n(.+?)^```$/gms;

export function readTemplates(): HookTemplate[] {
  return [...readFileSync(page, 'utf8').matchAll(section)].map((found) => {
    const [, name = '', about = '', source = '', context = '', command = ''] = found;
    return {
      name,
      about: about.replaceAll('\n', ' '),
      function: source,
      context,
      command: command.replaceAll(/ \\\n +/g, ' ').trim(),
    };
  });
}
