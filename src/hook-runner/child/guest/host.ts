/**
 * The way out of the isolate: two functions that take and return text. They are kept here, out of the function's
 * reach. Calls are counted before they leave, so that a flood of them never reaches the process's event loop.
 */

import { limits } from '../../protocol.ts';

/** Synchronous; returns `=` and JSON, or `!` and a code. */
type Call = (operation: string, argument: string) => string;
/** Asynchronous; `settle` delivers the answer, if there is one. */
type Post = (operation: string, id: number, argument: string) => void;

let callHost: Call;
let postHost: Post;
let calls = 0;
let lastId = 0;
const waiting = new Map<number, (answer: string) => void>();

// Saved here so that the function's changes to built-ins have no effect on them.
const { parse, stringify } = JSON;

export function connect(call: Call, post: Post): void {
  callHost = call;
  postHost = post;
}

function count(): void {
  calls += 1;
  if (calls > limits.hostCalls) throw new RangeError(`more than ${limits.hostCalls} calls of the host in one run`);
}

/** Returns the host's answer; throws a TypeError with the code of its refusal. */
export function ask<Answer>(operation: string, argument: unknown): Answer {
  count();
  const answer = callHost(operation, stringify(argument));
  if (answer[0] === '=') return parse(answer.slice(1)) as Answer;
  throw new TypeError(answer.slice(1));
}

/** Calls `settled` with the host's later answer. Returns an id to cancel with. */
export function post(operation: string, argument: unknown, settled: (answer: string) => void): number {
  count();
  lastId += 1;
  waiting.set(lastId, settled);
  postHost(operation, lastId, stringify(argument));
  return lastId;
}

export function forget(id: number): boolean {
  return waiting.delete(id);
}

export function settle(id: number, answer: string): void {
  const settled = waiting.get(id);
  waiting.delete(id);
  settled?.(answer);
}
