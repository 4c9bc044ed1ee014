/** Messages over a pair of pipes: four bytes of length, then JSON. The length is looked at before anything is kept. */

const headerBytes = 4;

function frameOf(...parts: readonly Uint8Array[]): Buffer {
  const header = Buffer.allocUnsafe(headerBytes);
  header.writeUInt32BE(parts.reduce((sum, part) => sum + part.length, 0));
  return Buffer.concat([header, ...parts]);
}

export function encodeFrame(message: object): Buffer {
  return frameOf(Buffer.from(JSON.stringify(message)));
}

/**
 * A message with bytes behind it, which JSON would take a third more for: a line feed, which JSON has none of, parts
 * them.
 */
export function encodeFrameWithBytes(message: object, bytes: Uint8Array): Buffer {
  return frameOf(Buffer.from(`${JSON.stringify(message)}\n`), bytes);
}

/** The other way: the message as text, and the bytes. */
export function splitFrame(frame: Buffer): { readonly text: string; readonly bytes: Buffer } {
  const end = frame.indexOf('\n');
  if (end === -1) return { text: frame.toString('utf8'), bytes: Buffer.alloc(0) };
  return { text: frame.toString('utf8', 0, end), bytes: frame.subarray(end + 1) };
}

/**
 * Takes what a pipe brings and gives each message that is complete, as text. Throws when one is announced that is
 * longer than `maximumBytes`.
 */
export function createFrameReader(maximumBytes: number): (chunk: Buffer) => string[] {
  const read = createBytesReader(maximumBytes);
  return (chunk) => read(chunk).map((frame) => frame.toString('utf8'));
}

/** As `createFrameReader`, with each message as bytes. */
export function createBytesReader(maximumBytes: number): (chunk: Buffer) => Buffer[] {
  let chunks: Buffer[] = [];
  let buffered = 0;
  let wanted = headerBytes;
  return (chunk) => {
    chunks.push(chunk);
    buffered += chunk.length;
    const frames: Buffer[] = [];
    while (buffered >= wanted) {
      const all = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
      const length = all.readUInt32BE(0);
      if (length > maximumBytes) throw new RangeError(`a message of ${length} bytes`);
      wanted = headerBytes + length;
      chunks = [all];
      if (buffered < wanted) break;
      frames.push(all.subarray(headerBytes, wanted));
      chunks = [all.subarray(wanted)];
      buffered -= wanted;
      wanted = headerBytes;
    }
    return frames;
  };
}
