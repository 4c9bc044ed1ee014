/** Messages over a pair of pipes: four bytes of length, then JSON. The length is looked at before anything is kept. */

const headerBytes = 4;

export function encodeFrame(message: object): Buffer {
  const body = JSON.stringify(message);
  const frame = Buffer.allocUnsafe(headerBytes + Buffer.byteLength(body));
  frame.writeUInt32BE(frame.length - headerBytes, 0);
  frame.write(body, headerBytes);
  return frame;
}

/**
 * Takes what a pipe brings and gives each message that is complete, as text. Throws when one is announced that is
 * longer than `maximumBytes`.
 */
export function createFrameReader(maximumBytes: number): (chunk: Buffer) => string[] {
  let chunks: Buffer[] = [];
  let buffered = 0;
  let wanted = headerBytes;
  return (chunk) => {
    chunks.push(chunk);
    buffered += chunk.length;
    const messages: string[] = [];
    while (buffered >= wanted) {
      const all = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
      const length = all.readUInt32BE(0);
      if (length > maximumBytes) throw new RangeError(`a message of ${length} bytes`);
      wanted = headerBytes + length;
      chunks = [all];
      if (buffered < wanted) break;
      messages.push(all.toString('utf8', headerBytes, wanted));
      chunks = [all.subarray(wanted)];
      buffered -= wanted;
      wanted = headerBytes;
    }
    return messages;
  };
}
