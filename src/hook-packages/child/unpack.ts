/** Downloads the described packages and writes their files below the build folder. */

import { limits } from '../protocol.ts';
import { readArchive } from './archive.ts';
import type { Grammar } from './grammar.ts';
import { PackageRefusal } from './refusal.ts';
import type { Registry } from './registry.ts';
import type { PlacedPackage } from './resolve.ts';
import { writeFiles } from './write-files.ts';

/** Stops the search for a package.json that would affect the bundle: folders above are not ours. */
const ending = new Map([['package.json', Buffer.from('{"private":true}')]]);

/** Writes every package below `folder`, which is empty. Throws a `PackageRefusal`. */
export async function unpackAll(
  packages: readonly PlacedPackage[],
  registry: Registry,
  folder: string,
  grammar: Grammar,
): Promise<void> {
  let room = { bytes: limits.unpackedBytes as number, files: limits.files as number };
  writeFiles(folder, '.', ending, grammar);
  for (const { description, path } of packages) {
    const label = `${description.name}@${description.version}`;
    const { files, took } = await readArchive(await registry.download(description), room, label, grammar);
    room = { bytes: room.bytes - took.bytes, files: room.files - took.files };
    try {
      writeFiles(folder, path, files, grammar);
    } catch {
      throw new PackageRefusal(`the file of ${label} cannot be unpacked`);
    }
  }
}
