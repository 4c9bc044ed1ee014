/** Timers that use the host's clock. They end with the run. */

import { limits } from '../../protocol.ts';
import { forget, post } from './host.ts';

type Action = (...values: unknown[]) => void;

interface Timer {
  id: number;
}

const timers = new Map<number, Timer>();
let lastHandle = 0;

function arm(handle: number, delay: number, action: () => void): void {
  const timer = timers.get(handle);
  if (timer) timer.id = post('timer', delay, action);
}

function add(): number {
  if (timers.size >= limits.timers) throw new RangeError(`more than ${limits.timers} timers at a time`);
  lastHandle += 1;
  timers.set(lastHandle, { id: 0 });
  return lastHandle;
}

/** Converts any value to whole milliseconds, at least 1, as Node does. */
function delayOf(value: unknown): number {
  const delay = Math.trunc(Number(value));
  return delay >= 1 && delay <= 2 ** 31 - 1 ? delay : 1;
}

function requireFunction(action: unknown): Action {
  if (typeof action === 'function') return action as Action;
  throw new TypeError('The "callback" argument must be of type function.');
}

export function setTimeout(action: unknown, delay?: unknown, ...values: unknown[]): number {
  const run = requireFunction(action);
  const handle = add();
  arm(handle, delayOf(delay), () => {
    timers.delete(handle);
    run(...values);
  });
  return handle;
}

export function setInterval(action: unknown, delay?: unknown, ...values: unknown[]): number {
  const run = requireFunction(action);
  const handle = add();
  const repeat = () => {
    arm(handle, delayOf(delay), repeat);
    run(...values);
  };
  arm(handle, delayOf(delay), repeat);
  return handle;
}

export function setImmediate(action: unknown, ...values: unknown[]): number {
  return setTimeout(action, 1, ...values);
}

export function clearTimer(handle: unknown): void {
  const timer = timers.get(handle as number);
  if (!timer) return;
  timers.delete(handle as number);
  forget(timer.id);
}

export function queueMicrotask(action: unknown): void {
  const run = requireFunction(action);
  void Promise.resolve().then(() => run());
}
