/** The files of a tarball, read within bounds and before anything is written. */

import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Parser } from 'tar/parse';
import type { ReadEntry } from 'tar/read-entry';
import type { Grammar } from './grammar.ts';
import { PackageRefusal } from './refusal.ts';

const gunzipped = promisify(gunzip);
const fileTypes = ['File', 'OldFile', 'ContiguousFile'];
/** Of one extended header: a path of the longest kind fits many times. */
const mostMetaBytes = 64 * 1024;

export interface Room {
  /** What may still be unpacked. */
  readonly bytes: number;
  readonly files: number;
}

interface Archive {
  /** Contents by the path within the package; of a path that is there twice, the last. */
  readonly files: ReadonlyMap<string, Buffer>;
  /** What it took of the room. */
  readonly took: Room;
}

/** Decompressed, at most `room` bytes. */
async function decompress(tarball: Buffer, room: number, label: string): Promise<Buffer> {
  try {
    return await gunzipped(tarball, { maxOutputLength: Math.max(room, 1) });
  } catch (error) {
    const isLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw new PackageRefusal(
      isLarge ? `with ${label} the packages unpack to more than 64 MiB` : `the file of ${label} is not a gzip archive`,
    );
  }
}

/** Every entry of an archive; `take` may throw, and answers where the contents of a file go, null for nowhere. */
function readEntries(tar: Buffer, take: (entry: ReadEntry) => ((content: Buffer) => void) | null): void {
  // The library would decompress once more, without a bound.
  if (tar[0] === 0x1f && tar[1] === 0x8b) throw new TypeError('an archive in an archive');
  const parser = new Parser({ strict: true, zstd: false, brotli: false, maxMetaEntrySize: mostMetaBytes });
  const fail = (error: unknown) => {
    throw error;
  };
  const onEntry = (entry: ReadEntry) => {
    const keep = take(entry);
    const chunks: Buffer[] = [];
    entry.on('data', (chunk: Buffer) => void (keep && chunks.push(chunk)));
    entry.on('end', () => keep?.(Buffer.concat(chunks)));
    entry.on('error', fail);
  };
  parser.on('error', fail);
  parser.on('entry', onEntry);
  parser.on('ignoredEntry', (entry: ReadEntry) => void take(entry));
  parser.end(tar);
}

/**
 * Reads a tarball. Links, devices and the like are left out, as are packages that it brings along below `node_modules`:
 * the registry describes none of them. Throws a `PackageRefusal`.
 */
export async function readArchive(tarball: Buffer, room: Room, label: string, grammar: Grammar): Promise<Archive> {
  const tar = await decompress(tarball, room.bytes, label);
  const files = new Map<string, Buffer>();
  let entries = 0;
  try {
    readEntries(tar, (entry) => {
      entries += 1;
      if (entries > room.files) throw new PackageRefusal(`with ${label} the packages have more than 10000 files`);
      if (entry.meta) throw new PackageRefusal(`the file of ${label} has a header that is too long`);
      const path = grammar.readEntryPath(entry.path);
      if (path === null) throw new PackageRefusal(`the file of ${label} has an entry that leaves its folder`);
      const isKept = fileTypes.includes(entry.type) && path !== '' && !/^node_modules(?:\/|$)/i.test(path);
      return isKept ? (content) => void files.set(path, content) : null;
    });
  } catch (error) {
    if (error instanceof PackageRefusal) throw error;
    throw new PackageRefusal(`the file of ${label} cannot be unpacked`);
  }
  return { files, took: { bytes: tar.length, files: entries } };
}
