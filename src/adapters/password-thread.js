// What a thread of password-threads.ts runs: one digest at a time, as its messages ask. JavaScript, because what strips
// the types of the others would take 16 MB of memory in each thread.
import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { hashSync, verifySync } from '@node-rs/argon2';
import { verifySync as verifyBcryptSync } from '@node-rs/bcrypt';

const works = { hashArgon2: hashSync, verifyArgon2: verifySync, verifyBcrypt: verifyBcryptSync };

if (workerData.priority !== null) {
  const [thread] = readlinkSync('/proc/thread-self').split('/').reverse();
  setPriority(Number(thread), workerData.priority);
}

parentPort?.on('message', ({ work, given }) => {
  try {
    parentPort?.postMessage({ result: works[work](...given) });
  } catch (error) {
    parentPort?.postMessage({ error });
  }
});
