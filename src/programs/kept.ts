/** Folders in `.cache` that are named after the sources they were made of: found there, or made first. */

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { packageLists, root } from '../runtime/installation.ts';
import { findPlace, isTrusted, openReadable, tryToOpen } from './place.ts';

/** A new folder to write into. */
export interface Unmade {
  readonly fresh: string;
  /** It is whole: answers where it is now. */
  keep(): string;
  /** It could not be made. Another process may have made the same meanwhile; if not, throws the error. */
  giveUp(error: unknown): string;
}

export type Kept = { readonly folder: string } | Unmade;

/** The folder of `name` for the present sources: files below the `folders` of the installation, and versions of packages. */
export function findKept(name: string, folders: readonly string[], isSource: RegExp): Kept {
  const place = findPlace(name);
  if (place === null) return elsewhere(name);
  const folder = join(place, digestOf(folders, isSource));
  if (existsSync(folder)) {
    if (isTrusted(folder)) return { folder };
    throw new Error(`${folder} can be written by other users: remove it, and start again`);
  }
  const fresh = tryToOpen(join(place, 'new-'));
  if (fresh === null) return elsewhere(name);
  const remove = () => rmSync(fresh, { recursive: true, force: true });
  return {
    fresh,
    keep: () => {
      try {
        // Another process may have made the same meanwhile.
        if (!existsSync(folder)) renameSync(fresh, folder);
      } catch (error) {
        if (!existsSync(folder)) throw error;
      } finally {
        remove();
      }
      return folder;
    },
    giveUp: (error) => {
      remove();
      if (!existsSync(folder)) throw error;
      return folder;
    },
  };
}

/** For this process alone. */
function elsewhere(name: string): Unmade {
  const fresh = openReadable(join(tmpdir(), `gatehouse-${name}-`));
  process.once('exit', () => rmSync(fresh, { recursive: true, force: true }));
  return {
    fresh,
    keep: () => fresh,
    giveUp: (error) => {
      throw error;
    },
  };
}

function digestOf(folders: readonly string[], isSource: RegExp): string {
  const digest = createHash('sha256').update(process.versions.node);
  const sources = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(root, folder, name)),
  );
  for (const file of [...packageLists, ...sources.filter((name) => isSource.test(name)).sort()]) {
    if (existsSync(file)) digest.update(`${relative(root, file)}\n`).update(readFileSync(file));
  }
  return digest.digest('hex').slice(0, 32);
}
