/** The hooks in the details of `/readyz`. Sign-ins continue without them, as the account's `hook_failure` says. */

import { setTimeout as delay } from 'node:timers/promises';
import type { Services } from '../services.ts';

/** Stored hooks whose runtime is not offered here: they fail at every run. */
interface HookOfNoRuntime {
  readonly runtime: string;
  readonly hooks: number;
}

export interface HookHealthOptions {
  readonly store: { readonly hooks: Pick<Services['store']['hooks'], 'countRuntimes'> };
  readonly hooks: Pick<Services['hooks'], 'health'>;
}

/** The count is cached this long, so that polling does not count every hook each time. */
const believedMilliseconds = 10_000;

/** The current state; `not_offered` is null while the store does not answer within `patienceMilliseconds`. */
export function createHookHealth({ store, hooks }: HookHealthOptions, patienceMilliseconds: number) {
  let counted: Promise<readonly HookOfNoRuntime[] | null> = Promise.resolve(null);
  let believedUntil = Number.NEGATIVE_INFINITY;

  async function count(): Promise<readonly HookOfNoRuntime[] | null> {
    // A store that hangs is asked once.
    believedUntil = Number.POSITIVE_INFINITY;
    try {
      const offered = hooks.health().runtimes.map(({ name }) => name);
      const found = (await store.hooks.countRuntimes()).filter(({ runtime }) => !offered.includes(runtime));
      believedUntil = performance.now() + believedMilliseconds;
      return found;
    } catch {
      believedUntil = Number.NEGATIVE_INFINITY;
      return null;
    }
  }

  return async () => {
    if (performance.now() > believedUntil) counted = count();
    const found = await Promise.race([counted, delay(patienceMilliseconds, null, { ref: false })]);
    const { state, reason, layers, runtimes } = hooks.health();
    return {
      state,
      reason,
      runtimes: runtimes.map((one) => ({ name: one.name, state: one.state, reason: one.reason })),
      not_offered: found?.map((one) => ({ runtime: one.runtime, hooks: one.hooks })) ?? null,
      layers: layers.map(({ name, state: is, remedy }) => ({ name, state: is, remedy })),
    };
  };
}
