import { readFileSync, statSync } from 'node:fs';
import { Failure } from '../domain/failure.ts';
import type { KeyFile } from '../domain/keys/master-key.ts';
import { createPrivateFile, modeOpenToOthers } from './private-file.ts';

/** The master key on disk, mode 0600. */
export function createKeyFile(path: string): KeyFile {
  return {
    path,
    read: () => readPrivate(path),
    make: (text) => createPrivateFile(path, text),
  };
}

function readPrivate(path: string): string | null {
  if (!statSync(path, { throwIfNoEntry: false })) return null;
  const mode = modeOpenToOthers(path);
  if (mode !== null) {
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
