// What a thread of password-threads.ts runs: one digest at a time, as its messages ask. JavaScript, because what strips
// the types of the others would take 16 MB of memory in each thread.
import { readlinkSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { hashSync, verifySync } from '@node-rs/argon2';
import { verifySync as verifyBcryptSync } from '@node-rs/bcrypt';

/** How far it stands behind the event loop, in steps of `nice`: further than the pool, which signs. */
const stepsBehind = 15;

const works = { digest: hashSync, verify: verifySync, verifyBcrypt: verifyBcryptSync };

// On Linux a priority belongs to a thread; elsewhere nothing changes.
if (process.platform === 'linux') {
  const [thread] = readlinkSync('/proc/thread-self').split('/').reverse();
  setPriority(Number(thread), Math.min(getPriority() + stepsBehind, constants.priority.PRIORITY_LOW));
}

parentPort?.on('message', ({ work, given }) => {
  try {
    parentPort?.postMessage({ result: works[work](...given) });
  } catch (error) {
    parentPort?.postMessage({ error });
  }
});
