/** Decodes untrusted answers here, where a bug in the decoder cannot reach anything the service holds. */

import { type FetchAnswer, type GuestFetchRefusal, limits } from '../protocol.ts';

/** `answer` is the JSON of a `FetchAnswer` with a gzip body; returns it with the body decoded, or a refusal. */
export async function decodeAnswer(answer: string): Promise<string> {
  const coded = JSON.parse(answer) as Exclude<FetchAnswer, { readonly refused: GuestFetchRefusal }>;
  // Loaded when needed: few functions fetch, and every process would start more slowly and hold more memory.
  const { gunzipSync } = await import('node:zlib');
  try {
    const body = gunzipSync(Buffer.from(coded.body, 'base64'), { maxOutputLength: limits.fetchResponseBytes });
    return JSON.stringify({ ...coded, body: body.toString('base64') } satisfies FetchAnswer);
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    const refused = isTooLarge ? 'response_too_large' : 'unreachable';
    return JSON.stringify({ refused } satisfies FetchAnswer);
  }
}
