/**
 * Where the programs of confined processes are: files that esbuild makes of modules of this service and of packages in
 * node_modules. They are made once for the present sources, at the first start or by `gatehouse prepare`.
 */

import { spawnSync } from 'node:child_process';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findKept, type Unmade } from './kept.ts';

export const programNames = ['hook-process', 'package-fetch', 'package-bundle'] as const;

export type ProgramName = (typeof programNames)[number];

/** All their sources are below these folders, or in packages, whose versions npm lists. */
export const sourceFolders = ['src/hook-runner', 'src/hook-packages', 'src/programs', 'src/domain/hooks'];
const mostMilliseconds = 60_000;

type Found = { readonly folder: string } | { readonly error: unknown };

let found: Found | null = null;

/**
 * The file of a program, which may have to be built first. If that fails, this and every later call throws the same
 * error.
 */
export function programFile(name: ProgramName): string {
  found ??= find();
  if ('error' in found) throw found.error;
  return join(found.folder, `${name}.mjs`);
}

function find(): Found {
  try {
    const kept = findKept('programs', sourceFolders, /\.c?[jt]s$/);
    return 'folder' in kept ? kept : { folder: make(kept) };
  } catch (error) {
    return { error };
  }
}

function make({ fresh, keep, giveUp }: Unmade): string {
  try {
    write(fresh);
  } catch (error) {
    return giveUp(error);
  }
  return keep();
}

/** In a separate process: the service never loads the bundler. */
function write(folder: string): void {
  const writer = fileURLToPath(new URL(`write${extname(import.meta.filename)}`, import.meta.url));
  const { status, stderr, error } = spawnSync(process.execPath, [writer, folder], {
    encoding: 'utf8',
    timeout: mostMilliseconds,
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`the programs of hooks cannot be made: ${stderr}`);
}
