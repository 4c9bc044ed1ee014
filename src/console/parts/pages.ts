/** All items of a list, page by page. */

import type { Answer } from '../api/api.ts';
import { pause } from '../api/pause.ts';
import { Problem } from '../api/problem.ts';

export interface WalkOptions {
  /** Told after each page; `total` is null where the list does not say. */
  readonly report?: (done: number, total: number | null) => void;
  readonly signal?: AbortSignal;
}

/**
 * Each page of a list, whose first is asked for without a cursor. Where the limit of calls is reached, it waits as long
 * as the service says. Ends early when it is told to stop.
 */
export async function* pagesOf<Item>(
  ask: (cursor: string | null) => Promise<Answer<readonly Item[]>>,
  { report, signal = new AbortController().signal }: WalkOptions = {},
): AsyncGenerator<readonly Item[]> {
  let cursor: string | null = null;
  let done = 0;
  let total: number | null = null;
  do {
    const { data, headers }: Answer<readonly Item[]> = await patiently(() => ask(cursor), signal);
    if (signal.aborted) return;
    const said = headers.get('total-count');
    if (said !== null) total = Number(said);
    done += data.length;
    yield data;
    report?.(done, total);
    cursor = headers.get('after-cursor');
  } while (cursor !== null && !signal.aborted);
}

/** What the first page is asked for, and each after it. */
type Place<Wanted> = (Wanted & { readonly limit: number }) | { readonly cursor: string };

/** A whole list as one answer: what is counted, or chosen from, must not end with a page. */
export async function whole<Item, Wanted extends object = object>(
  ask: (query: Place<Wanted>) => Promise<Answer<readonly Item[]>>,
  wanted = {} as Wanted,
): Promise<Answer<readonly Item[]>> {
  const items: Item[] = [];
  const page = (cursor: string | null) => ask(cursor === null ? { ...wanted, limit: 1000 } : { cursor });
  for await (const some of pagesOf(page)) items.push(...some);
  return { data: items, tag: null, headers: new Headers({ 'total-count': String(items.length) }) };
}

/** Whether a call was not made because its user stopped while `patiently` waited. */
export const wasStopped = (error: unknown, signal: AbortSignal) =>
  signal.aborted && error instanceof Problem && error.status === 429;

/** Makes a call, again after the time that the service says where it has had too many. */
export async function patiently<Result>(call: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      const waits = error instanceof Problem && error.status === 429 && error.retrySeconds !== null;
      if (!waits || signal.aborted) throw error;
      await pause(error.retrySeconds * 1000, signal);
      if (signal.aborted) throw error;
    }
  }
}
