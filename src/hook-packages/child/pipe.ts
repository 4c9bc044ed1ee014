/** The pair of pipes that leads to the service. With it ends the process. */

import { constants, getPriority, setPriority } from 'node:os';
import { createBytesReader, encodeFrame, splitFrame } from '../../hook-runner/frames.ts';
import type { FromBundle, FromFetch, Refused } from '../protocol.ts';
import { PackageRefusal } from './refusal.ts';

export function refusalOf(error: unknown): Refused {
  if (error instanceof PackageRefusal) return { op: 'refused', reason: error.message, isFinal: error.isFinal };
  return { op: 'refused', reason: 'the packages cannot be built', isFinal: false };
}

export function say(message: FromFetch | FromBundle): void {
  process.stdout.write(encodeFrame(message));
}

/** Says that the process is ready and hears what the service says. Both ends are of our own program. */
export function listen<Message>(mostBytes: number, hear: (message: Message, bytes: Buffer) => void): void {
  // Nobody waits for a build as one waits for a sign-in. Only a privileged process may give itself precedence again.
  const { PRIORITY_BELOW_NORMAL } = constants.priority;
  if (getPriority() < PRIORITY_BELOW_NORMAL) setPriority(PRIORITY_BELOW_NORMAL);
  const read = createBytesReader(mostBytes);
  process.stdin.on('data', (chunk: Buffer) => {
    for (const frame of read(chunk)) {
      const { text, bytes } = splitFrame(frame);
      hear(JSON.parse(text) as Message, bytes);
    }
  });
  // The service is gone: nobody wants an answer.
  process.stdin.on('end', () => process.exit(0));
  say({ op: 'ready' });
}
