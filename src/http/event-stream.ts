/** Server-sent events (the HTML standard, section 9.2): an answer that goes on. */

import type { Response } from 'express';

/** What may wait for a client to read when one event more comes, which may be larger. Beyond it the client is cut off. */
const mostUnread = 262_144;

/** Texts that are sent as they come; a client that does not read them is cut off. */
export interface EventSink {
  send(text: string): void;
  /** Settles when everything was handed over, or the client has gone. */
  room(): Promise<void>;
  /** Aborted when the client has gone. */
  readonly gone: AbortSignal;
}

/** The body of an answer that goes on until `run` settles. */
export class EventStream {
  readonly run: (sink: EventSink) => Promise<void>;

  constructor(run: (sink: EventSink) => Promise<void>) {
    this.run = run;
  }
}

export async function sendEvents(res: Response, { run }: EventStream): Promise<void> {
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  // A proxy that collects an answer would send nothing for minutes.
  res.setHeader('x-accel-buffering', 'no');
  res.flushHeaders();
  if (res.destroyed) gone.abort();
  await run({
    send: (text) => {
      if (gone.signal.aborted) return;
      if (res.writableLength > mostUnread) res.destroy();
      else res.write(text);
    },
    room: () =>
      new Promise((resolve) => {
        if (gone.signal.aborted || !res.writableNeedDrain) return resolve();
        const done = () => {
          res.off('drain', done).off('close', done);
          resolve();
        };
        res.once('drain', done).once('close', done);
      }),
    gone: gone.signal,
  });
  if (!res.destroyed) res.end();
}

/** One event. `id`: what a client names when it comes again. */
export function eventText({
  id,
  event,
  data,
}: {
  readonly id?: number;
  readonly event: string;
  readonly data: object;
}): string {
  const named = id === undefined ? '' : `id: ${id}\n`;
  return `${named}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
