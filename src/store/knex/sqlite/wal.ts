/**
 * Checks that the write-ahead log still contains everything that was committed. SQLite reads it up to the first invalid
 * frame and silently drops the rest, as it must after a power cut. But the frames counted in the index beside the log
 * (`-shm`) were flushed before they were counted (https://www.sqlite.org/walformat.html).
 */

import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { endianness } from 'node:os';

const headerBytes = 32;
const frameHeaderBytes = 24;
const indexHeaderBytes = 48;
/** With this bit the checksums of a log are over big-endian words. */
const bigEndianBit = 1;

interface WalIndex {
  /** Committed frames; the first `backfilled` of them are in the database file as well. */
  readonly frames: number;
  readonly backfilled: number;
  /** The salt of the log that it indexes. */
  readonly salt: Buffer;
}

/** Null when there is no reliable index: it is missing, has another format, or is half written. */
function readIndex(file: string): WalIndex | null {
  const bytes = existsSync(file) ? readFileSync(file).subarray(0, indexHeaderBytes * 2 + 4) : Buffer.alloc(0);
  const header = bytes.subarray(0, indexHeaderBytes);
  const copy = bytes.subarray(indexHeaderBytes, indexHeaderBytes * 2);
  if (bytes.length < indexHeaderBytes * 2 + 4 || !header.equals(copy) || header[12] !== 1) return null;
  const [first, second] = checksum(header.subarray(0, 40), endianness() === 'BE', 0, 0);
  if (first !== nativeWord(header, 40) || second !== nativeWord(header, 44)) return null;
  return {
    frames: nativeWord(header, 16),
    backfilled: nativeWord(bytes, indexHeaderBytes * 2),
    salt: Buffer.from(header.subarray(32, 40)),
  };
}

function nativeWord(bytes: Buffer, at: number): number {
  return endianness() === 'BE' ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at);
}

/** SQLite's running checksum over pairs of words. */
function checksum(bytes: Buffer, bigEndian: boolean, first: number, second: number): [number, number] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let [one, two] = [first, second];
  for (let at = 0; at < bytes.length; at += 8) {
    one = (one + view.getUint32(at, !bigEndian) + two) >>> 0;
    two = (two + view.getUint32(at + 4, !bigEndian) + one) >>> 0;
  }
  return [one, two];
}

/** How many frames of the log can be read, up to `most`; null when it is the log of another index. */
function countReadable(file: string, { frames: most, salt }: WalIndex): number | null {
  if (!existsSync(file)) return 0;
  const descriptor = openSync(file, 'r');
  try {
    const { size } = fstatSync(descriptor);
    const header = Buffer.alloc(headerBytes);
    if (size < headerBytes || readSync(descriptor, header, 0, headerBytes, 0) < headerBytes) return 0;
    if (!header.subarray(16, 24).equals(salt)) return null;
    const bigEndian = (header.readUInt32BE(0) & bigEndianBit) === 1;
    const frame = Buffer.alloc(frameHeaderBytes + header.readUInt32BE(8));
    let [one, two] = checksum(header.subarray(0, 24), bigEndian, 0, 0);
    for (let count = 0; count < most; count += 1) {
      const read = readSync(descriptor, frame, 0, frame.length, headerBytes + count * frame.length);
      if (read < frame.length || !frame.subarray(8, 16).equals(salt)) return count;
      [one, two] = checksum(frame.subarray(0, 8), bigEndian, one, two);
      [one, two] = checksum(frame.subarray(frameHeaderBytes), bigEndian, one, two);
      if (one !== frame.readUInt32BE(16) || two !== frame.readUInt32BE(20)) return count;
    }
    return most;
  } finally {
    closeSync(descriptor);
  }
}

/** What is missing, in words, or null when nothing is missing or nothing can be said. */
export function findLostCommits(database: string): string | null {
  const index = readIndex(`${database}-shm`);
  if (!index || index.frames === 0 || index.backfilled >= index.frames) return null;
  const readable = countReadable(`${database}-wal`, index);
  if (readable === null || readable >= index.frames) return null;
  // Another process may have restarted the log meanwhile.
  const now = readIndex(`${database}-shm`);
  if (!now?.salt.equals(index.salt) || now.frames < index.frames) return null;
  return `${database}-wal is damaged: only ${readable} of ${index.frames} committed pages can be read`;
}
