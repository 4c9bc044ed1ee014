/**
 * The program of a hook process: runs functions of one account, each run in its own context. It holds no secrets and
 * is not trusted; the service ends it from outside. Its only argument is the path of isolated-vm.
 */

import { createFrameReader, encodeFrame } from '../frames.ts';
import type { FromProcess, ToProcess } from '../protocol.ts';
import { decodeAnswer } from './decode.ts';
import { createLanes } from './lanes.ts';

/** Messages may contain packages. The service is trusted; the limit only keeps a bug from filling the memory. */
const maximumBytes = 16 * 1024 * 1024;

function send(message: FromProcess): void {
  process.stdout.write(encodeFrame(message));
}

/** Not `exit`, which waits for isolates that may never end. In its own PID namespace only `abort` works. */
function end(): never {
  process.kill(process.pid, 'SIGKILL');
  process.abort();
}

const lanes = createLanes(send);
const read = createFrameReader(maximumBytes);

function receive(message: ToProcess): void {
  if (message.op === 'load') lanes.load(message);
  else if (message.op === 'run') lanes.run(message);
  else void settle(message);
}

async function settle({ run, call, answer, coding }: Extract<ToProcess, { op: 'fetched' }>): Promise<void> {
  lanes.settle(run, call, coding === null ? answer : await decodeAnswer(answer));
}

process.stdin.on('data', (chunk: Buffer) => {
  for (const message of read(chunk)) receive(JSON.parse(message) as ToProcess);
});
// The service is gone or no longer needs this process.
process.stdin.on('end', end).on('error', end);
process.stdout.on('error', end);
process.on('uncaughtException', (error) => {
  process.stderr.write(`${error.stack}\n`);
  end();
});

lanes.prepare();
send({ op: 'ready' });
