import { readFileSync, statSync } from 'node:fs';
import { Failure } from '../domain/failure.ts';
import type { KeyFile } from '../domain/keys/master-key.ts';
import { createPrivateFile } from './private-file.ts';

/** The master key on disk, mode 0600. */
export function createKeyFile(path: string): KeyFile {
  return {
    path,
    read: () => readPrivate(path),
    make: (text) => createPrivateFile(path, text),
  };
}

function readPrivate(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return null;
  // Windows has no such bits: there the folder's permissions decide.
  if (process.platform !== 'win32' && (found.mode & 0o077) !== 0) {
    const mode = (found.mode & 0o777).toString(8).padStart(4, '0');
    throw refused(`the permissions of ${path} are too open (mode ${mode}); run: chmod 600 ${path}`);
  }
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw refused(`the master key file ${path} cannot be read (${code ?? 'unknown error'})`, { cause });
  }
}

function refused(message: string, options?: ErrorOptions): Failure {
  return new Failure('unavailable', { name: 'master key', message }, options);
}
