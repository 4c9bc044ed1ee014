/** A small disk of its own, to be filled and emptied under what runs on it. */

import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface SmallDisk {
  readonly folder: string;
  /** Leaves no byte free. */
  fill(): void;
  /** Gives back what `fill` took. */
  free(): void;
  remove(): void;
}

const mounted = new Set<string>();

function unmount(folder: string): void {
  // Lazily: what a killed process had open must not keep it.
  spawnSync('umount', ['--lazy', folder]);
  rmSync(folder, { recursive: true, force: true });
  mounted.delete(folder);
}

process.once('exit', () => {
  for (const folder of mounted) unmount(folder);
});

/** A file system in memory; null where this process may not mount one. */
export function mountSmallDisk(megabytes: number): SmallDisk | null {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-disk-'));
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=777`, 'tmpfs', folder]);
  if (status !== 0) {
    rmSync(folder, { recursive: true });
    return null;
  }
  mounted.add(folder);
  const ballast = join(folder, 'ballast');
  return {
    folder,
    fill: () => {
      const file = openSync(ballast, 'a');
      try {
        while (statfsSync(folder).bavail > 0) writeSync(file, Buffer.alloc(4096, 'x'));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      } finally {
        closeSync(file);
      }
    },
    free: () => rmSync(ballast, { force: true }),
    remove: () => unmount(folder),
  };
}
