/** Writes files below a folder and nowhere else: each path is checked before it is written to. */

import { closeSync, constants, lstatSync, mkdirSync, openSync, realpathSync, writeSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { Grammar } from './grammar.ts';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;

/** Uses the native call, because this process may not look at the folders above. */
const realPath = realpathSync.native;

function prove(isBelow: boolean): void {
  if (!isBelow) throw new RangeError('a place outside of the folder');
}

/** Creates a folder and its parents. No part may be a link, and the real path must equal the given one. */
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
  // O_EXCL does not follow links either (POSIX open), and never opens an existing file.
  const file = openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o644);
  try {
    for (let at = 0; at < content.length; ) at += writeSync(file, content, at);
  } finally {
    closeSync(file);
  }
}

/** Writes new files below `folder`; their paths are relative to `place`. Throws for a path outside the folder. */
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
