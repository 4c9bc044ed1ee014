/** What a process says until its end, and how it ended. */

import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Ending } from './child.ts';

/** For what a dead one still has in its pipes: something that it started may hold them open. */
const lastWordsMilliseconds = 1_000;

/** What it said before its end, on its channel and in its lines, may be read after it. */
export async function endOf(started: ChildProcess): Promise<Omit<Ending, 'reason'>> {
  const closed = once(started, 'close').catch(() => {});
  const disconnected = started.connected ? once(started, 'disconnect').catch(() => {}) : null;
  const ending = await new Promise<Omit<Ending, 'reason'>>((resolve) => {
    started.once('exit', (code, signal) => resolve({ code, signal }));
    // One that could not be started has no number, and does not exit.
    started.once('error', () => started.pid === undefined && resolve({ code: 1, signal: null }));
  });
  await Promise.race([Promise.all([closed, disconnected]), delay(lastWordsMilliseconds, null, { ref: false })]);
  return ending;
}

/** Lines of several processes must not mix. */
export function forwardLines({ stdout }: ChildProcess, write: (lines: string) => void): void {
  let rest = '';
  stdout?.setEncoding('utf8');
  stdout?.on('data', (chunk: string) => {
    const end = chunk.lastIndexOf('\n') + 1;
    if (end > 0) write(rest + chunk.slice(0, end));
    rest = end > 0 ? chunk.slice(end) : rest + chunk;
  });
  stdout?.on('end', () => rest !== '' && write(`${rest}\n`));
}
