/** The folders in `.cache` whose files run as this service: who may be able to change them, and who must read them. */

import { chmodSync, lstatSync, mkdirSync, mkdtempSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../runtime/installation.ts';

const readableByAll = 0o755;
const readableByOthers = 0o055;
const writableByOthers = 0o022;

/** Outermost first. The first one may be used for other things as well. */
const foldersOf = (name: string) => [join(root, '.cache'), join(root, '.cache', name)];

/**
 * The folder of this name in `.cache`, which is made if there is none. Null if others could change it or one around it,
 * and with that swap what is in it, if not everybody can read it, or if it cannot be made. Folders that were there are
 * not changed: they may be the operator's.
 */
export function findPlace(name: string): string | null {
  try {
    const folders = foldersOf(name);
    for (const folder of folders) {
      makeReadable(folder);
      if (!isTrusted(folder) || (lstatSync(folder).mode & readableByOthers) !== readableByOthers) return null;
    }
    return folders.at(-1) ?? null;
  } catch {
    return null;
  }
}

/** The folder of this name in `.cache`, whatever is in it; null if others could change it, or if there is none. */
export function placeOf(name: string): string | null {
  try {
    const folders = foldersOf(name);
    return folders.every(isTrusted) ? (folders.at(-1) ?? null) : null;
  } catch {
    return null;
  }
}

function makeReadable(folder: string): void {
  try {
    mkdirSync(folder, readableByAll);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return;
    throw error;
  }
  openToReaders(folder);
}

/**
 * The contents run as this service: a folder's owner must be this user, the installing user or root, and nobody else
 * may be able to change it. A link does not say that.
 */
export function isTrusted(folder: string): boolean {
  const found = lstatSync(folder);
  const makers = [0, process.geteuid?.(), statSync(root).uid];
  return found.isDirectory() && makers.includes(found.uid) && (found.mode & writableByOthers) === 0;
}

/** A new folder; null where nothing can be written. */
export function tryToOpen(prefix: string): string | null {
  try {
    return openReadable(prefix);
  } catch {
    return null;
  }
}

/** A new folder that everybody can read: it contains nothing secret. */
export function openReadable(prefix: string): string {
  const folder = mkdtempSync(prefix);
  openToReaders(folder);
  return folder;
}

function openToReaders(folder: string): void {
  if ((statSync(folder).mode & 0o777) !== readableByAll) chmodSync(folder, readableByAll);
}
