/** The pair of pipes to the service. The process ends when they close. */

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

/** Reports that the process is ready and receives the service's messages. Both ends are our own code. */
export function listen<Message>(mostBytes: number, hear: (message: Message, bytes: Buffer) => void): void {
  // A build is less urgent than a sign-in. Only a privileged process can raise its own priority again.
  const { PRIORITY_BELOW_NORMAL } = constants.priority;
  if (getPriority() < PRIORITY_BELOW_NORMAL) setPriority(PRIORITY_BELOW_NORMAL);
  const read = createBytesReader(mostBytes);
  process.stdin.on('data', (chunk: Buffer) => {
    for (const frame of read(chunk)) {
      const { text, bytes } = splitFrame(frame);
      hear(JSON.parse(text) as Message, bytes);
    }
  });
  // The service is gone, so nothing reads the answer.
  process.stdin.on('end', () => process.exit(0));
  say({ op: 'ready' });
}
