/**
 * Versions that programs on the PATH told, kept from one start to the next: to ask takes tens of milliseconds. A program
 * is known by its file as it was then. Scripts are asked every time, since what they run depends on more than their file.
 */

import { closeSync, lstatSync, openSync, readFileSync, readSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Beside the compiled sources: everyone who may write there may change the sources themselves. */
const keptIn = fileURLToPath(new URL('../../.cache/host-nodes.json', import.meta.url));

/** The first bytes of a program of Linux. */
const elf = Buffer.from('\x7fELF', 'latin1');

interface Told {
  /** See `identityOf`. */
  readonly identity: string;
  readonly version: string;
}

/** Null for a script, and for a file that cannot be read. */
function identityOf(file: string): string | null {
  try {
    const start = Buffer.alloc(elf.length);
    const descriptor = openSync(file, 'r');
    try {
      readSync(descriptor, start);
    } finally {
      closeSync(descriptor);
    }
    if (!start.equals(elf)) return null;
    const { dev, ino, size, mtimeNs, ctimeNs } = statSync(file, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
  } catch {
    return null;
  }
}

/** A link may lead out of the installation. */
function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function readKept(from: string): Readonly<Record<string, Told>> {
  try {
    const kept: unknown = JSON.parse(readFileSync(from, 'utf8'));
    return typeof kept === 'object' && kept !== null ? (kept as Record<string, Told>) : {};
  } catch {
    return {};
  }
}

/** What `ask` answers for the file; from `kept`, without asking, if the file has not changed since it was asked. */
export function toldVersion(file: string, ask: (file: string) => string | null, kept = keptIn): string | null {
  const identity = identityOf(file);
  if (identity === null) return ask(file);
  const known = readKept(kept);
  const told = Object.hasOwn(known, file) ? known[file] : undefined;
  if (told?.identity === identity && typeof told.version === 'string') return told.version;
  const version = ask(file);
  if (version === null || !isFolder(dirname(kept))) return version;
  try {
    writeFileSync(kept, JSON.stringify({ ...known, [file]: { identity, version } }), { mode: 0o600 });
  } catch {
    // An installation that cannot be written asks at every start.
  }
  return version;
}
