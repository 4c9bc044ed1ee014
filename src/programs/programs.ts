/**
 * Where the programs of confined processes are: files that esbuild makes of modules of this service and of packages in
 * node_modules. They are made once for the present sources, at the first start or by `gatehouse prepare`.
 */

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const programNames = ['hook-process', 'package-fetch', 'package-bundle'] as const;

export type ProgramName = (typeof programNames)[number];

const root = fileURLToPath(new URL('../..', import.meta.url));
/** All their sources are below these folders, or in packages, whose versions npm lists. */
export const sourceFolders = ['src/hook-runner', 'src/hook-packages', 'src/programs', 'src/domain/hooks'];
const packageList = 'node_modules/.package-lock.json';
const keptFolder = join(root, '.cache/programs');
const mostMilliseconds = 60_000;
const readableByAll = 0o755;
const writableByOthers = 0o022;

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
    const folder = join(keptFolder, digestOfSources());
    if (!existsSync(folder)) return { folder: make(folder) };
    requireTrusted(folder);
    return { folder };
  } catch (error) {
    return { error };
  }
}

/**
 * Its contents run as this service: its owner must be this user, the installing user or root, and nobody else may be
 * able to change it.
 */
function requireTrusted(folder: string): void {
  const { uid, mode } = lstatSync(folder);
  const makers = [0, process.geteuid?.(), statSync(root).uid];
  if (makers.includes(uid) && (mode & writableByOthers) === 0) return;
  throw new Error(`${folder} can be written by other users: remove it, and start again`);
}

function digestOfSources(): string {
  const digest = createHash('sha256').update(process.versions.node);
  const sources = sourceFolders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  for (const file of [packageList, ...sources.filter((name) => /\.c?ts$/.test(name)).sort()]) {
    if (existsSync(join(root, file))) digest.update(`${file}\n`).update(readFileSync(join(root, file)));
  }
  return digest.digest('hex').slice(0, 32);
}

/** Returns the folder, or a temporary one for this process if nothing can be written beside it. */
function make(folder: string): string {
  const { fresh, isKept } = openFolder();
  try {
    // In a separate process: the service never loads the bundler.
    const writer = fileURLToPath(new URL('./write.ts', import.meta.url));
    const { status, stderr, error } = spawnSync(process.execPath, [writer, fresh], {
      encoding: 'utf8',
      timeout: mostMilliseconds,
    });
    if (error) throw error;
    if (status !== 0) throw new Error(`the programs of hooks cannot be made: ${stderr}`);
    if (!isKept) return fresh;
    // Another process may have made the same meanwhile.
    if (!existsSync(folder)) renameSync(fresh, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  } finally {
    if (isKept) rmSync(fresh, { recursive: true, force: true });
  }
  return folder;
}

function openFolder(): { readonly fresh: string; readonly isKept: boolean } {
  try {
    mkdirSync(keptFolder, { recursive: true });
    // Whatever the umask is: processes of another user read its contents.
    for (const one of [dirname(keptFolder), keptFolder]) openToReaders(one);
    return { fresh: openReadable(join(keptFolder, 'new-')), isKept: true };
  } catch {
    const fresh = openReadable(join(tmpdir(), 'gatehouse-programs-'));
    process.once('exit', () => rmSync(fresh, { recursive: true, force: true }));
    return { fresh, isKept: false };
  }
}

/** It contains nothing secret. */
function openReadable(prefix: string): string {
  const folder = mkdtempSync(prefix);
  openToReaders(folder);
  return folder;
}

function openToReaders(folder: string): void {
  if ((statSync(folder).mode & 0o777) !== readableByAll) chmodSync(folder, readableByAll);
}
