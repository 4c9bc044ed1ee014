/** Server-sent events (HTML standard, section 9.2), by `fetch`: a proof of possession goes with each request. */

import { open } from './api.ts';
import type { Given, OperationOf, PathOf } from './contract.ts';
import { pause } from './pause.ts';
import { type Problem, problemOf } from './problem.ts';

export interface ServerEvent {
  readonly name: string;
  readonly data: string;
}

export type Following =
  | { readonly is: 'opening' | 'live' | 'waiting' }
  /** It does not go on by itself. */
  | { readonly is: 'refused'; readonly problem: Problem };

export interface Follower {
  readonly got: (event: ServerEvent) => void;
  readonly tell: (state: Following) => void;
}

const pauseMilliseconds = 3000;
const mostPauseMilliseconds = 30_000;
/** What another attempt does not change. */
const isFinal = ({ status }: Problem) => status === 400 || status === 403 || status === 404;

/** Follows a stream until `signal`, and opens another one from where it ended. */
export async function follow<P extends PathOf<'get'>>(
  path: P,
  given: Given<OperationOf<'get', P>>,
  { got, tell }: Follower,
  signal: AbortSignal,
): Promise<void> {
  let last: string | null = null;
  let failed = 0;
  while (!signal.aborted) {
    let wanted = 0;
    try {
      tell({ is: failed === 0 ? 'opening' : 'waiting' });
      const header = last === null ? {} : { 'Last-Event-ID': last };
      const { body: stream } = await open(path, { ...given, header }, 'text/event-stream', signal);
      tell({ is: 'live' });
      await readEvents(stream, got, (id) => {
        last = id;
        failed = 0;
      });
    } catch (error) {
      const problem = problemOf(error);
      if (signal.aborted) return;
      if (isFinal(problem)) return tell({ is: 'refused', problem });
      wanted = (problem.retrySeconds ?? 0) * 1000;
    }
    failed += 1;
    tell({ is: 'waiting' });
    // The first time at once: most streams end because a token did, or a node stops.
    await pause(Math.max(wanted, Math.min(pauseMilliseconds * (failed - 1), mostPauseMilliseconds)), signal);
  }
}

/** Reads until the stream ends, by itself or by an event `end`. */
async function readEvents(
  stream: ReadableStream<Uint8Array>,
  got: (event: ServerEvent) => void,
  place: (id: string) => void,
): Promise<void> {
  const reader = stream.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      // A line that ends with CR LF may come in two parts.
      const blocks = (rest + value).replaceAll('\r\n', '\n').split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const { id, name, data } = readBlock(block);
        if (id !== null) place(id);
        if (name === 'end') return;
        if (data !== null) got({ name, data });
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function readBlock(block: string): { readonly id: string | null; readonly name: string; readonly data: string | null } {
  const fields = block.split('\n').map((line) => /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? []);
  const last = (name: string) => fields.findLast(([, known]) => known === name)?.[2];
  const data = fields.filter(([, name]) => name === 'data').map(([, , value = '']) => value);
  return { id: last('id') ?? null, name: last('event') ?? 'message', data: data.length > 0 ? data.join('\n') : null };
}
