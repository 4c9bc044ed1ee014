/** Build folders: one per build, removed afterwards. */

import { chown, lstat, mkdir, mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hour } from '../domain/durations.ts';

const prefix = 'gatehouse-packages-';
/** Much longer than a build takes. */
const strayMilliseconds = hour;

function remove(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** Removes what a service killed during a build left behind: only old folders that belong to it. */
export async function removeStrays(parent: string): Promise<void> {
  const names = (await readdir(parent)).filter((name) => name.startsWith(prefix));
  for (const path of names.map((name) => join(parent, name))) {
    const found = await lstat(path).catch(() => null);
    const isOld = found && Date.now() - found.mtimeMs > strayMilliseconds;
    if (isOld && found.isDirectory() && found.uid === process.geteuid?.()) await remove(path);
  }
}

/**
 * Works in an empty folder that is removed afterwards. Only this user can enter its parent; the folder belongs to
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
