/**
 * The service as one file, with what V8 made of its code: `bin/start.js` runs it in place of a thousand modules, whose
 * finding, reading and compiling takes most of the time of a start. It is made from the sources (`make.ts`) and used
 * only as long as they are what they were then; a start that finds none that is fresh runs the sources.
 */

import { chmodSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cachedDataVersionTag } from 'node:v8';
import { constants, Script } from 'node:vm';
import { isTrusted, placeOf } from '../programs/place.ts';
import { root } from '../runtime/installation.ts';

export const placeName = 'whole';
export const listFile = 'list.json';
export const programFile = 'gatehouse.cjs';

/** Whole seconds since 1970, which every archive and file system keeps. */
type FileState = readonly [size: number, changedAt: number];

/** What the program was made of. */
export interface KeptList {
  /** The folder that holds it, below that of the list. */
  readonly folder: string;
  /** `process.version` of its maker. */
  readonly node: string;
  /** Of the service: in an archive of npm all files have the same time, and a release may change none in size. */
  readonly version: string;
  /** By path from the installation; null for a file that was not there. */
  readonly sources: Readonly<Record<string, FileState | null>>;
}

/** What the sources ask `import.meta` for. */
interface Installation {
  url(path: string): string;
  filename(path: string): string;
  resolve(specifier: string): string;
}

/** Servers use other functions than commands do: code of each is kept for itself. */
export type Use = 'command' | 'server';

export interface WholeProgram {
  run(args: readonly string[]): Promise<number>;
  /** Keeps what V8 compiled until now for later starts, unless that was done. */
  keepCode(): void;
}

export function stateOf(path: string): FileState | null {
  const found = statSync(join(root, path), { throwIfNoEntry: false });
  return found ? [found.size, Math.floor(found.mtimeMs / 1000)] : null;
}

export function presentVersion(): string {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;
}

function isSame(path: string, kept: FileState | null): boolean {
  const now = stateOf(path);
  return now?.[0] === kept?.[0] && now?.[1] === kept?.[1];
}

/** The folder of the program that was made from the present sources by this version of Node; null if there is none. */
export function freshFolder(): string | null {
  try {
    const place = placeOf(placeName);
    if (place === null) return null;
    const { folder, node, version, sources }: KeptList = JSON.parse(readFileSync(join(place, listFile), 'utf8'));
    const path = join(place, folder);
    if (node !== process.version || version !== presentVersion() || !isTrusted(path)) return null;
    for (const source in sources) if (!isSame(source, sources[source] ?? null)) return null;
    return path;
  } catch {
    return null;
  }
}

/** Loads the program; null where there is none that is fresh. */
export function loadWhole(use: Use): WholeProgram | null {
  const folder = freshFolder();
  if (folder === null) return null;
  const codeFile = join(folder, `${use}-${cachedDataVersionTag()}.code`);
  const loaded = loadScript(join(folder, programFile), codeFile);
  if (loaded === null) return null;
  const { script, isCodeKept } = loaded;
  const installation: Installation = {
    url: (path) => pathToFileURL(join(root, path)).href,
    filename: (path) => join(root, path),
    resolve: (specifier) => import.meta.resolve(specifier),
  };
  const enter = script.runInThisContext();
  const entry: Omit<WholeProgram, 'keepCode'> = enter(createRequire(join(root, 'package.json')), installation);
  return {
    ...entry,
    keepCode() {
      if (!isCodeKept) writeWhole(codeFile, script.createCachedData());
    },
  };
}

/**
 * A function of its own: what it reads, 15 MB, is garbage as soon as it returns, and goes with the next small collection.
 * Null where there is no program.
 */
function loadScript(file: string, codeFile: string) {
  const source = readOrNull(file);
  if (source === null) return null;
  const cachedData = readOrNull(codeFile);
  const script = new Script(source.toString('latin1'), {
    filename: file,
    ...(cachedData && { cachedData }),
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  return { script, isCodeKept: cachedData !== null && !script.cachedDataRejected };
}

function readOrNull(file: string): Buffer | null {
  try {
    return readFileSync(file);
  } catch {
    return null;
  }
}

/** Two processes may do so at once: the later one stays. */
function writeWhole(file: string, content: Buffer): void {
  const fresh = `${file}.${process.pid}`;
  try {
    // What a failing machine left incomplete would be run as it is, and so would what somebody else wrote meanwhile.
    writeFileSync(fresh, content, { flag: 'wx', mode: 0o600, flush: true });
    // Other users start the service too, however strict the umask is.
    chmodSync(fresh, 0o644);
    renameSync(fresh, file);
  } catch {
    // An installation that cannot be written compiles at every start.
    rmSync(fresh, { force: true });
  }
}
