/** Where the files of the console are: made once for its present sources, at the first request or by `prepare`. */

import { execFile } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findKept } from './kept.ts';
import { madeOnce } from './made-once.ts';

const mostMilliseconds = 60_000;
/** All its sources are below these folders, or in packages, whose versions npm lists. */
export const consoleSources = ['src/console', 'src/programs', 'generated/console'];

/** The folder of the files. Where they cannot be made, the bundler is not started for each request. */
export const consoleFolder: () => Promise<string> = madeOnce(find);

async function find(): Promise<string> {
  const kept = findKept('console', consoleSources, /\.(?:tsx?|css|json)$/);
  if ('folder' in kept) return kept.folder;
  const { fresh, keep, giveUp } = kept;
  try {
    await write(fresh);
  } catch (error) {
    return giveUp(error);
  }
  return keep();
}

/** In a separate process: the service never loads the bundler, and answers others meanwhile. */
async function write(folder: string): Promise<void> {
  const writer = fileURLToPath(new URL(`write-console${extname(import.meta.filename)}`, import.meta.url));
  await promisify(execFile)(process.execPath, [writer, folder], { timeout: mostMilliseconds });
}
