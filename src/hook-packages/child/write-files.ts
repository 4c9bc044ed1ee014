/** Writes files below a folder and nowhere else: each place is proven before it is written to. */

import { closeSync, constants, lstatSync, mkdirSync, openSync, realpathSync, writeSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { Grammar } from './grammar.ts';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;

/** Asked of the system at once: folders above are not for this process to look at. */
const realPath = realpathSync.native;

function prove(isBelow: boolean): void {
  if (!isBelow) throw new RangeError('a place outside of the folder');
}

/** Makes a folder with those above it. None on the way may be a link, and where it ends must be where its path says. */
function makeFolder(root: string, folder: string, grammar: Grammar): void {
  let made = root;
  for (const part of relative(root, folder).split(sep)) {
    if (part === '') continue;
    made = join(made, part);
    try {
      mkdirSync(made);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !lstatSync(made).isDirectory()) throw error;
    }
  }
  prove(folder === root || (grammar.isBelow(root, realPath(folder)) && realPath(folder) === folder));
}

function writeNew(path: string, content: Uint8Array): void {
  // O_EXCL follows no link either (POSIX open); nothing that is there is written to.
  const file = openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o644);
  try {
    for (let at = 0; at < content.length; ) at += writeSync(file, content, at);
  } finally {
    closeSync(file);
  }
}

/**
 * Writes new files below `folder`, by their paths from `place` in it. Throws for a place that is not below the folder.
 */
export function writeFiles(
  folder: string,
  place: string,
  files: ReadonlyMap<string, Uint8Array>,
  grammar: Grammar,
): void {
  const root = realPath(folder);
  const made = new Set<string>();
  for (const [path, content] of files) {
    const target = resolve(root, place, path);
    prove(grammar.isBelow(root, target));
    const parent = dirname(target);
    if (!made.has(parent)) makeFolder(root, parent, grammar);
    made.add(parent);
    writeNew(target, content);
  }
}
