/** Files with secrets: mode 0600, flushed to disk before they get their name, never visible half written. */

import {
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';

/** Writes a new file; false when the name is taken, whose file does not change. Folders are created with mode 0700. */
export function createPrivateFile(path: string, text: string): boolean {
  return viaDraft(path, text, place);
}

/** Writes a file, replacing one of this name. */
export function replacePrivateFile(path: string, text: string): void {
  viaDraft(path, text, (draft) => {
    renameSync(draft, path);
    return true;
  });
}

/**
 * The mode (`0644`) of a file that others than its owner may open; null otherwise, for a missing file, and on Windows,
 * where the folder's permissions decide.
 */
export function modeOpenToOthers(path: string): string | null {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  if (process.platform === 'win32' || (mode & 0o077) === 0) return null;
  return (mode & 0o777).toString(8).padStart(4, '0');
}

function viaDraft(path: string, text: string, name: (draft: string, path: string) => boolean): boolean {
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}.new`;
  rmSync(draft, { force: true });
  try {
    withDescriptor(draft, 'wx', (file) => writeSync(file, text));
    const named = name(draft, path);
    if (process.platform !== 'win32') withDescriptor(folder, 'r', () => {});
    return named;
  } finally {
    rmSync(draft, { force: true });
  }
}

function withDescriptor(path: string, flags: string, use: (descriptor: number) => void): void {
  const descriptor = openSync(path, flags, 0o600);
  try {
    use(descriptor);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Gives the draft its name; false when the name is taken. */
function place(draft: string, path: string): boolean {
  for (const attempt of [linkSync, copyExclusively]) {
    try {
      attempt(draft, path);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      // Some file systems have no hard links.
      if (attempt === copyExclusively) throw error;
    }
  }
  return false;
}

function copyExclusively(from: string, to: string): void {
  copyFileSync(from, to, constants.COPYFILE_EXCL);
}
