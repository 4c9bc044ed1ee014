/**
 * The only supported content coding of responses: their bytes come from strangers, and gzip has the smallest decoder.
 */

import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Refusal } from './refusal.ts';

export type Coding = 'gzip' | null;

const gunzipped = promisify(gunzip);
/** RFC 9110 §8.4.1.3: `x-gzip` is the same as `gzip`. */
const names: readonly string[] = ['gzip', 'x-gzip'];

/** The coding of a body. Throws a `Refusal` for any other coding, and for several nested ones. */
export function readCoding(header: string | undefined, body: Buffer): Coding {
  const name = header?.trim().toLowerCase() ?? '';
  // The response to HEAD names the coding of a body that is not sent.
  if (body.length === 0 || name === '' || name === 'identity') return null;
  if (names.includes(name)) return 'gzip';
  throw new Refusal('response_invalid');
}

/** The decoded size counts, and decoding stops at `most` bytes. */
export async function decode(body: Buffer, coding: Coding, most: number): Promise<Buffer> {
  if (coding === null) return body;
  try {
    return await gunzipped(body, { maxOutputLength: most });
  } catch (cause) {
    const isTooLarge = (cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw new Refusal(isTooLarge ? 'response_too_large' : 'response_invalid', { cause });
  }
}
