/** A program seen from the service: taken for hostile, heard within bounds, ended from outside. */

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { HookCommand } from './command.ts';
import { createFrameReader } from './frames.ts';

/** So much of what it says on standard error is kept: how V8 died. */
const keptErrorCharacters = 4096;

export interface FramedProcess {
  /** Of the outermost program; null when none could be started. */
  readonly pid: number | null;
  send(frame: Buffer): void;
  /** SIGKILL; nothing that comes from it afterwards is heard. */
  kill(): void;
  /** Settles when it is gone. */
  readonly gone: Promise<void>;
  /** What it said on standard error. */
  lastWords(): string;
}

interface FramedProcessEvents {
  /** What throws here ends the process. */
  readonly frame: (text: string) => void;
  /** Once, when it ended by itself or what it said made no sense; not after `kill`. */
  readonly failed: (reason: string) => void;
}

/** `mostBytes` is the longest frame that it may send. */
export function startFramedProcess(
  command: HookCommand,
  mostBytes: number,
  events: FramedProcessEvents,
): FramedProcess {
  const child = launch(command);
  let isHeard = true;
  let words = '';
  const read = createFrameReader(mostBytes);

  /** The whole group: nothing that it could have started is left. */
  function kill(): void {
    isHeard = false;
    child.kill('SIGKILL');
    child.stdin.destroy();
  }

  function fail(reason: string): void {
    if (!isHeard) return;
    kill();
    events.failed(reason);
  }

  child.stdout.on('data', (chunk: Buffer) => {
    if (!isHeard) return;
    try {
      for (const text of read(chunk)) if (isHeard) events.frame(text);
    } catch {
      fail('said what makes no sense');
    }
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    words = (words + text).slice(-keptErrorCharacters);
  });
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => {});
  const gone = new Promise<void>((resolve) => {
    child.on('error', (error) => {
      fail(error.message);
      if (child.pid === undefined) resolve();
    });
    // With the streams closed all that it said is read.
    child.on('close', (code, signal) => {
      fail(signal ?? `exit ${code}`);
      resolve();
    });
  });
  return {
    pid: child.pid ?? null,
    send: (frame) => void (isHeard && child.stdin.write(frame)),
    kill,
    gone,
    lastWords: () => words,
  };
}

function launch({ file, args, variables }: HookCommand): ChildProcessByStdio<Writable, Readable, Readable> {
  // Options and environment without prototypes: a polluted one starts nothing else (CVE-2019-7609).
  const options = {
    __proto__: null,
    env: Object.assign(Object.create(null), variables) as NodeJS.ProcessEnv,
    cwd: '/',
    stdio: ['pipe', 'pipe', 'pipe'] as ['pipe', 'pipe', 'pipe'],
    shell: false,
    // A Ctrl-C in a terminal stops the service, which first lets runs end.
    detached: true,
  };
  return spawn(file, args, options);
}
