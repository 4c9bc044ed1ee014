/** The one coding that responses may come in: the bytes are those of strangers, and gzip has the smallest decoder. */

import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Refusal } from './refusal.ts';

export type Coding = 'gzip' | null;

const gunzipped = promisify(gunzip);
/** RFC 9110 §8.4.1.3: `x-gzip` is the same as `gzip`. */
const names: readonly string[] = ['gzip', 'x-gzip'];

/** What a body is coded in. Throws a `Refusal` for any other coding, and for several, one within the other. */
export function readCoding(header: string | undefined, body: Buffer): Coding {
  const name = header?.trim().toLowerCase() ?? '';
  // The answer to a HEAD request names the coding of a body that does not come.
  if (body.length === 0 || name === '' || name === 'identity') return null;
  if (names.includes(name)) return 'gzip';
  throw new Refusal('response_invalid');
}

/** What counts is the decoded size, and decoding ends where `most` bytes are reached. */
export async function decode(body: Buffer, coding: Coding, most: number): Promise<Buffer> {
  if (coding === null) return body;
  try {
    return await gunzipped(body, { maxOutputLength: most });
  } catch (cause) {
    const isTooLarge = (cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw new Refusal(isTooLarge ? 'response_too_large' : 'response_invalid', { cause });
  }
}
