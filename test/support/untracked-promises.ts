/**
 * Imported before each test file. Node's runner follows every promise, to tell which test an error that nobody caught
 * belongs to, and this takes a sixth of the processor time of a test that answers requests. Here it follows all else:
 * such an error fails its file still. `trackPromises` is Node's own option, which the runner has no flag for
 * (https://nodejs.org/api/async_hooks.html#async_hookscreatehookcallbacks).
 */
import { type AsyncHook, createHook } from 'node:async_hooks';

type Hook = AsyncHook & Record<symbol, unknown>;

const untracking = createHook({ trackPromises: false } as object) as Hook;
const untracked = Object.getOwnPropertySymbols(untracking).filter((symbol) => untracking[symbol] === true);
const prototype: AsyncHook = Object.getPrototypeOf(untracking);
const { enable } = prototype;

prototype.enable = function (this: Hook) {
  for (const symbol of untracked) this[symbol] = true;
  return enable.call(this);
};
