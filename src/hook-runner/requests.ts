/** Requests of functions: read from what a process says, answered by the service's `fetch`. */

import {
  type FetchAnswer,
  type FetchAsked,
  type Fetched,
  type GuestFetch,
  type GuestFetchRefusal,
  type GuestRequest,
  limits,
} from './protocol.ts';

/** The request of a run; null when it is malformed. */
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

/** The answer to the request of a run; a refusal if it fails. The function only gets a code of the failure. */
export async function answerRequest(
  request: GuestRequest | null,
  fetch: GuestFetch,
  run: AbortSignal,
): Promise<Fetched> {
  if (!request) return refusal('invalid_request');
  try {
    const answer = await fetch(request, run);
    if ('refused' in answer) return refusal(answer.refused);
    const { status, url, redirected, headers, body, coding = null } = answer;
    const crossing: FetchAnswer = { status, url, redirected, headers, body: Buffer.from(body).toString('base64') };
    return { answer: JSON.stringify(crossing), coding };
  } catch {
    return refusal('unreachable');
  }
}

function refusal(refused: GuestFetchRefusal): Fetched {
  return { answer: JSON.stringify({ refused } satisfies FetchAnswer), coding: null };
}
