/** Requests of functions: read from what a process says, answered by the service's `fetch`. */

import { type FetchAnswer, type FetchAsked, type GuestFetch, type GuestRequest, limits } from './protocol.ts';

/** The request of a run; null when it is not of a request's shape. */
export function readRequest(accountId: number, text: string): GuestRequest | null {
  try {
    const { url, method, headers, body, redirect } = JSON.parse(text) as FetchAsked;
    if (typeof url !== 'string' || typeof method !== 'string' || !Array.isArray(headers)) return null;
    if (redirect !== 'follow' && redirect !== 'manual' && redirect !== 'error') return null;
    const bytes = body === null ? null : Buffer.from(body, 'base64');
    if (bytes !== null && bytes.length > limits.fetchBodyBytes) return null;
    const pairs = headers.map(([name, value]): [string, string] => [String(name), String(value)]);
    return { accountId, url, method, headers: pairs, body: bytes, redirect };
  } catch {
    return null;
  }
}

/** Of a failure the function hears a code. */
export async function answerRequest(fetched: ReturnType<GuestFetch>): Promise<FetchAnswer> {
  try {
    const answer = await fetched;
    if ('refused' in answer) return answer;
    const { status, url, redirected, headers, body } = answer;
    return { status, url, redirected, headers, body: Buffer.from(body).toString('base64') };
  } catch {
    return { refused: 'unreachable' };
  }
}
