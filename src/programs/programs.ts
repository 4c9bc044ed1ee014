/**
 * Where the programs of confined processes are: files that esbuild makes of modules of this service and of packages in
 * node_modules. They are made once for the present sources, at the first start or by `gatehouse prepare`.
 */

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageLists, root } from '../runtime/installation.ts';
import { findPlace, isTrusted, openReadable, tryToOpen } from './place.ts';

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
    const place = findPlace('programs');
    if (place === null) return { folder: makeElsewhere() };
    const folder = join(place, digestOfSources());
    if (!existsSync(folder)) return { folder: make(place, folder) };
    if (isTrusted(folder)) return { folder };
    throw new Error(`${folder} can be written by other users: remove it, and start again`);
  } catch (error) {
    return { error };
  }
}

function digestOfSources(): string {
  const digest = createHash('sha256').update(process.versions.node);
  const sources = sourceFolders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(root, folder, name)),
  );
  for (const file of [...packageLists, ...sources.filter((name) => /\.c?[jt]s$/.test(name)).sort()]) {
    if (existsSync(file)) digest.update(`${relative(root, file)}\n`).update(readFileSync(file));
  }
  return digest.digest('hex').slice(0, 32);
}

/** Makes them in a new folder of `place`, which then gets its name. */
function make(place: string, folder: string): string {
  const fresh = tryToOpen(join(place, 'new-'));
  if (fresh === null) return makeElsewhere();
  try {
    write(fresh);
    // Another process may have made the same meanwhile.
    if (!existsSync(folder)) renameSync(fresh, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return folder;
}

/** For this process alone. */
function makeElsewhere(): string {
  const fresh = openReadable(join(tmpdir(), 'gatehouse-programs-'));
  process.once('exit', () => rmSync(fresh, { recursive: true, force: true }));
  write(fresh);
  return fresh;
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
