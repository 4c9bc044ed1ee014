/** Reads the files of a tarball, within limits and before anything is written. */

import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Parser } from 'tar/parse';
import type { ReadEntry } from 'tar/read-entry';
import type { Grammar } from './grammar.ts';
import { PackageRefusal } from './refusal.ts';

const gunzipped = promisify(gunzip);
const fileTypes = ['File', 'OldFile', 'ContiguousFile'];
/** Limit for one extended header; the longest allowed path fits many times over. */
const mostMetaBytes = 64 * 1024;

export interface Room {
  /** What may still be unpacked. */
  readonly bytes: number;
  readonly files: number;
}

interface Archive {
  /** Contents by path within the package; the last entry wins when a path occurs twice. */
  readonly files: ReadonlyMap<string, Buffer>;
  /** How much of the room it used. */
  readonly took: Room;
}

/** Decompresses at most `room` bytes. */
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

/** Reads every entry of an archive. `take` may throw; it returns a callback for the contents, or null to skip them. */
function readEntries(tar: Buffer, take: (entry: ReadEntry) => ((content: Buffer) => void) | null): void {
  // The library would decompress it a second time, without a limit.
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
 * Reads a tarball. Skips links, devices and the like, and packages bundled below `node_modules`, which the registry
 * does not describe. Throws a `PackageRefusal`.
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
