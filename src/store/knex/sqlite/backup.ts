import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Knex } from 'knex';
import { Failure } from '../../../domain/failure.ts';

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}

function taken(file: string, cause?: unknown): Failure {
  return new Failure('conflict', { name: 'file', message: `${file} already exists; name a new file` }, { cause });
}

/** Why a file could not be written, for the operator; other errors unchanged. */
function refusal(file: string, error: unknown): unknown {
  const code = codeOf(error);
  const because = {
    ENOENT: 'its folder does not exist',
    ENOTDIR: 'its folder does not exist',
    EACCES: 'the folder is not writable',
    EPERM: 'the folder is not writable',
    EROFS: 'the file system is read-only',
    ENOSPC: 'the disk is full',
    EDQUOT: 'the disk is full',
    SQLITE_FULL: 'the disk is full',
  }[code];
  if (because === undefined) return error;
  return new Failure(
    'value_invalid',
    { name: 'file', message: `${file} cannot be written: ${because}` },
    { cause: error },
  );
}

function flush(path: string): void {
  const descriptor = openSync(path, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}

/** Gives the finished copy its name, without replacing another file. */
function name(draft: string, file: string): void {
  try {
    linkSync(draft, file);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw taken(file, error);
    // Some file systems have no hard links.
    renameSync(draft, file);
  }
}

const draftName = 'draft.db';
const draftPrefix = `.gatehouse-backup-${hostname()}-`;

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/** A draft, what SQLite writes beside it, and the folder of both; a folder that holds anything else is not ours. */
function removeDraft(folder: string): void {
  for (const part of ['', '-journal', '-wal', '-shm']) rmSync(join(folder, `${draftName}${part}`), { force: true });
  try {
    rmdirSync(folder);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(codeOf(error))) throw error;
  }
}

/**
 * Removes the drafts that backups of this user left in the folder when they were interrupted: nothing runs while
 * SQLite copies, so that a signal ends the process at once. Others who can write to the folder may give a folder of
 * this user such a name.
 */
function sweep(folder: string): void {
  for (const entry of readdirSync(folder)) {
    const rest = entry.startsWith(draftPrefix) ? entry.slice(draftPrefix.length) : '';
    const pid = Number(/^(\d+)-\w{6}$/.exec(rest)?.[1]);
    if (!(pid > 0) || (pid !== process.pid && isRunning(pid))) continue;
    const path = join(folder, entry);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (!found?.isDirectory() || found.uid !== process.geteuid?.()) continue;
    try {
      removeDraft(path);
    } catch {
      // What cannot be removed is no reason to have no backup.
    }
  }
}

/**
 * `VACUUM INTO` reads one snapshot, so writers continue; it does not flush its output. The file gets its name only when
 * it is complete and on disk: an interrupted backup leaves none. Until then it is in a folder that nobody else can
 * enter, since others may be able to make files in the folder of the backup, as in /tmp. Throws `conflict` when there is one of this
 * name and `value_invalid` when it cannot be written, both naming `file`.
 */
export async function backup(db: Knex, file: string): Promise<void> {
  if (existsSync(file)) throw taken(file);
  const folder = dirname(resolve(file));
  let own: string | undefined;
  try {
    sweep(folder);
    own = mkdtempSync(join(folder, `${draftPrefix}${process.pid}-`));
    const draft = join(own, draftName);
    closeSync(openSync(draft, 'wx', 0o600));
    await db.raw('vacuum into ?', [draft]);
    flush(draft);
    name(draft, file);
    flush(folder);
  } catch (error) {
    throw refusal(file, error);
  } finally {
    if (own !== undefined) removeDraft(own);
  }
}
