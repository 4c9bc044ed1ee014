/** A hook process seen from the service. */

import type { HookCommand } from './command.ts';
import { type FramedProcess, startFramedProcess } from './framed-process.ts';
import { encodeFrame } from './frames.ts';
import { type FromProcess, maximumFrameBytes, type ToProcess } from './protocol.ts';

export interface HookProcess extends Omit<FramedProcess, 'send'> {
  send(message: ToProcess): void;
  /** Whether V8 or the allocator said so. */
  diedOfMemory(): boolean;
}

interface HookProcessEvents {
  readonly message: (message: FromProcess) => void;
  /** Once, when it ended by itself or what it said made no sense; not after `kill`. */
  readonly failed: (reason: string) => void;
}

export function startHookProcess(command: HookCommand, events: HookProcessEvents): HookProcess {
  const started = startFramedProcess(command, maximumFrameBytes, {
    frame: (text) => events.message(JSON.parse(text) as FromProcess),
    failed: events.failed,
  });
  return {
    ...started,
    send: (message) => started.send(encodeFrame(message)),
    diedOfMemory: () =>
      /out of memory|bad_alloc|Allocation failed|invalid (?:array|table) (?:length|size)/i.test(started.lastWords()),
  };
}
