/** Decodes untrusted answers here, where a bug in the decoder cannot reach anything the service holds. */

import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { type FetchAnswer, type GuestFetchRefusal, limits } from '../protocol.ts';

const gunzipped = promisify(gunzip);

/** `answer` is the JSON of a `FetchAnswer` with a gzip body; returns it with the body decoded, or a refusal. */
export async function decodeAnswer(answer: string): Promise<string> {
  const coded = JSON.parse(answer) as Exclude<FetchAnswer, { readonly refused: GuestFetchRefusal }>;
  try {
    const body = await gunzipped(Buffer.from(coded.body, 'base64'), { maxOutputLength: limits.fetchResponseBytes });
    return JSON.stringify({ ...coded, body: body.toString('base64') } satisfies FetchAnswer);
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    const refused = isTooLarge ? 'response_too_large' : 'unreachable';
    return JSON.stringify({ refused } satisfies FetchAnswer);
  }
}
