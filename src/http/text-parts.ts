/** An answer that is a long text: it is sent as fast as its client reads. */

import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';

interface LongText {
  /** One of the media types that the contract documents. */
  readonly type: string;
  /** The beginning of the text. */
  readonly first: string;
  readonly rest: AsyncGenerator<string, void, undefined>;
  /** Aborted where the answer is to be cut off, with the failure that says why. */
  readonly lost: AbortSignal;
}

/** The body of such an answer. */
export class TextParts {
  readonly text: LongText;

  constructor(text: LongText) {
    this.text = text;
  }
}

/** Settles when all of it was handed over, or the client has gone. Rejects when reading a part fails. */
export async function sendTextParts(res: Response, { text }: TextParts): Promise<void> {
  const { first, rest, lost } = text;
  await handOver(rest, lost, () => pipeline(inOrder(first, rest), res, { signal: lost }));
}

/** Sends what is read part by part, and ends the reading, whatever becomes of it. Rejects where `lost` was aborted. */
export async function handOver(
  parts: AsyncGenerator<unknown, unknown, undefined>,
  lost: AbortSignal | undefined,
  send: () => Promise<unknown>,
): Promise<void> {
  try {
    await send();
  } catch (error) {
    lost?.throwIfAborted();
    // Who has read enough may leave.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  } finally {
    // Also when the client left before the first part.
    await parts.return(undefined);
  }
}

async function* inOrder(first: string, rest: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  if (first !== '') yield first;
  yield* rest;
}
