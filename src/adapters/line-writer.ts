import { write, writeSync } from 'node:fs';

/** Lines within this time are written together. */
const gatherMilliseconds = 20;
/** How long unwritten lines wait for the next attempt. */
const pauseMilliseconds = 100;
/** How long the end of the process waits for a reader that stalls. */
const patienceMilliseconds = 1000;

/** How long the end of the process waits for lines that a thread is writing: later ones must stand below them. */
const lastWriteMilliseconds = 100;

function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

interface LineWriter {
  /** Never waits and never throws. */
  write(line: string): void;
}

/**
 * Writes lines to a file descriptor in the background, several at once. When the disk is full or a reader stalls, lines
 * beyond `mostCharacters` are lost; when the reader is gone, all further lines are lost; the service continues in any
 * case. Unwritten lines are written when possible, at the latest when the process ends.
 */
export function createLineWriter(descriptor: number, mostCharacters: number): LineWriter {
  let waiting = '';
  let rest: Buffer = Buffer.alloc(0);
  let busy = false;
  let gone = false;
  let underWay = false;

  function next(): void {
    if (rest.length === 0) {
      rest = Buffer.from(waiting);
      waiting = '';
    }
    busy = rest.length > 0;
    if (!busy) return;
    underWay = true;
    write(descriptor, rest, (error, count) => {
      underWay = false;
      if (error) {
        fail(error);
        return;
      }
      rest = rest.subarray(count);
      next();
    });
  }

  function fail({ code }: NodeJS.ErrnoException): void {
    if (code !== 'EPIPE') {
      setTimeout(next, pauseMilliseconds).unref();
      return;
    }
    gone = true;
    waiting = '';
    rest = Buffer.alloc(0);
  }

  function flush(): void {
    const deadline = performance.now() + patienceMilliseconds;
    // The thread finishes what is under way; only the event loop, which has ended, would be told when.
    if (underWay) pause(lastWriteMilliseconds);
    let left = Buffer.concat([underWay ? Buffer.alloc(0) : rest, Buffer.from(waiting)]);
    while (left.length > 0) {
      try {
        left = left.subarray(writeSync(descriptor, left));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || performance.now() > deadline) return;
        pause(10);
      }
    }
  }

  process.once('exit', flush);
  return {
    write: (line) => {
      if (gone || waiting.length + line.length > mostCharacters) return;
      waiting += line;
      if (busy) return;
      busy = true;
      setTimeout(next, gatherMilliseconds).unref();
    },
  };
}
