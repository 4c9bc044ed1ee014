/**
 * Threads on which passwords are digested. Node's own pool is for signatures: a digest takes as long as thirty of them,
 * and there it would be put aside for none. Each is started when it is first needed (60 ms), takes 18 MB, and stays.
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

/** Those of this process that have nothing to do. They do not keep it from its end. */
let idle: Worker[] = [];

function start(): Worker {
  const workerData = { priority: priorityBehindEventLoop(stepsBehind) };
  // Flags of the process are for its own sources.
  const thread = new Worker(new URL('password-thread.js', import.meta.url), { execArgv: [], workerData });
  // Whoever waits for its answer is told of an error as well.
  thread.on('error', () => {});
  thread.once('exit', () => {
    idle = idle.filter((one) => one !== thread);
  });
  return thread;
}

/** Answers what the work gives, or rejects with what it throws. */
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

/** Whether the password is that of an argon2 digest. Rejects when the digest is none. */
export async function verifyArgon2(digest: string, password: string): Promise<boolean> {
  return (await onThread('verifyArgon2', digest, password)) === true;
}

/** The same of a bcrypt hash. */
export async function verifyBcrypt(password: string, hash: string): Promise<boolean> {
  return (await onThread('verifyBcrypt', password, hash)) === true;
}
