/** From tarballs to files, within bounds that are checked before anything is written. */

import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { limits, type ResolvedPackage } from '../protocol.ts';
import { PackageRefusal } from './refusal.ts';
import type { Registry } from './registry.ts';

const gunzipped = promisify(gunzip);
const block = 512;

/** How many entries a tar archive has, by its headers alone (POSIX.1-1988 ustar: the size is octal, at byte 124). */
export function countEntries(archive: Buffer): number {
  let entries = 0;
  for (let at = 0; at + block <= archive.length; ) {
    const header = archive.subarray(at, at + block);
    if (header.every((byte) => byte === 0)) break;
    const size = Number.parseInt(header.toString('latin1', 124, 136).replace(/\0.*$/s, '').trim() || '0', 8);
    if (!Number.isSafeInteger(size) || size < 0) return Number.POSITIVE_INFINITY;
    entries += 1;
    at += block + Math.ceil(size / block) * block;
  }
  return entries;
}

async function decompress(tarball: Buffer, room: number, label: string): Promise<Buffer> {
  try {
    return await gunzipped(tarball, { maxOutputLength: room });
  } catch (error) {
    const isLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw new PackageRefusal(
      isLarge ? `with ${label} the packages unpack to more than 64 MiB` : `the file of ${label} is no gzip archive`,
    );
  }
}

/** Writes every package below `folder`. Throws a `PackageRefusal`. */
export async function unpackAll(
  packages: readonly ResolvedPackage[],
  registry: Registry,
  folder: string,
): Promise<void> {
  let room: number = limits.unpackedBytes;
  let files: number = limits.files;
  const archive = `${folder}.tar`;
  for (const { name, version, integrity, path } of packages) {
    const label = `${name}@${version}`;
    const tar = await decompress(await registry.download(name, version, integrity), room, label);
    room -= tar.length;
    files -= countEntries(tar);
    if (files < 0) throw new PackageRefusal(`with ${label} the packages have more than ${limits.files} files`);
    await writeFile(archive, tar);
    const place = join(folder, path);
    await mkdir(place, { recursive: true });
    await registry.extract(archive, place).catch(() => {
      throw new PackageRefusal(`the file of ${label} cannot be unpacked`);
    });
  }
  await rm(archive, { force: true });
}
