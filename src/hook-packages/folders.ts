/** Folders of builds: one for each, gone afterwards. */

import { chown, lstat, mkdir, mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hour } from '../domain/durations.ts';

const prefix = 'gatehouse-packages-';
/** Much longer than a build takes. */
const strayMilliseconds = hour;

function remove(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** Removes what a service that was ended in the midst of a build has left: none but its own, and old ones. */
export async function removeStrays(parent: string): Promise<void> {
  const names = (await readdir(parent)).filter((name) => name.startsWith(prefix));
  for (const path of names.map((name) => join(parent, name))) {
    const found = await lstat(path).catch(() => null);
    const isOld = found && Date.now() - found.mtimeMs > strayMilliseconds;
    if (isOld && found.isDirectory() && found.uid === process.geteuid?.()) await remove(path);
  }
}

/**
 * Works in a folder that is empty and gone afterwards. It stands in one that none but this user enters, and belongs to
 * `owner` when the processes of a build run as another user.
 */
export async function inFolder<Result>(
  parent: string,
  owner: number | null,
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  const outer = await realpath(await mkdtemp(join(parent, prefix)));
  try {
    const folder = join(outer, 'build');
    await mkdir(folder, { mode: 0o700 });
    if (owner !== null) await chown(folder, owner, owner);
    return await work(folder);
  } finally {
    await remove(outer);
  }
}
