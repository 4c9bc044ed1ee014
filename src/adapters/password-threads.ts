/**
 * Threads that digest passwords. Node's own pool is for signatures: a digest takes as long as thirty of them, and there
 * it would get no lower priority. Each thread is started when it is first needed (60 ms), takes 18 MB, and stays.
 */

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Options } from '@node-rs/argon2';
import { priorityBehindEventLoop } from './thread-pool.ts';

/** In steps of `nice`: further behind the event loop than the pool, which signs. */
const stepsBehind = 15;

interface Answer {
  readonly result?: unknown;
  readonly error?: Error;
}

/** Idle threads of this process. They do not keep the process alive. */
let idle: Worker[] = [];

function start(): Worker {
  const workerData = { priority: priorityBehindEventLoop(stepsBehind) };
  // Flags of the process are for its own sources.
  const thread = new Worker(new URL('password-thread.js', import.meta.url), { execArgv: [], workerData });
  // The caller that waits for the answer gets the error as well.
  thread.on('error', () => {});
  thread.once('exit', () => {
    idle = idle.filter((one) => one !== thread);
  });
  return thread;
}

/** Returns the result of the work, or rejects with its error. */
async function onThread(
  work: 'hashArgon2' | 'verifyArgon2' | 'verifyBcrypt',
  ...given: readonly unknown[]
): Promise<unknown> {
  const thread = idle.pop() ?? start();
  thread.ref();
  thread.postMessage({ work, given });
  const [{ result, error }] = (await once(thread, 'message')) as [Answer];
  thread.unref();
  idle.push(thread);
  if (error) throw error;
  return result;
}

/** Argon2 in its PHC string. */
export async function hashArgon2(password: string, options: Options): Promise<string> {
  return String(await onThread('hashArgon2', password, options));
}

/** Whether the password matches an argon2 digest. Rejects when the digest is invalid. */
export async function verifyArgon2(digest: string, password: string): Promise<boolean> {
  return (await onThread('verifyArgon2', digest, password)) === true;
}

/** The same for a bcrypt hash. */
export async function verifyBcrypt(password: string, hash: string): Promise<boolean> {
  return (await onThread('verifyBcrypt', password, hash)) === true;
}
