/** The licences of the packages in a bundle: most of them must accompany every copy of the code. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const noticesFile = 'NOTICES.txt';

/** What packages call the files that hold their licences and notices. */
const licenceFile = /^(?:licen[cs]e|copying|notice)/i;

/** Name, version and licence files of every package that a file of `inputs` (paths from `base`) belongs to, as text. */
export function noticesOf(base: string, inputs: readonly string[]): string {
  const folders = new Set(inputs.flatMap((path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []));
  const notices = [...folders].sort().map((folder) => noticeOf(join(base, folder)));
  return ['The programs in this folder contain code of these packages.\n', ...notices].join(`\n${'-'.repeat(80)}\n\n`);
}

function noticeOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const files = readdirSync(folder).filter((file) => licenceFile.test(file));
  const texts = files.sort().map((file) => readFileSync(join(folder, file), 'utf8').trim());
  return `${[[name, version, license].filter(Boolean).join(' '), ...texts].join('\n\n')}\n`;
}
