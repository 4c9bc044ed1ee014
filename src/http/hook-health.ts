/** What the details of `/readyz` say of hooks. Sign-ins go on without them, as the account's `hook_failure` says. */

import type { Services } from '../services.ts';

/** Stored hooks of a runtime that is not offered here: they fail at every run. */
export interface HookOfNoRuntime {
  readonly runtime: string;
  readonly hooks: number;
}

export interface HookHealthOptions {
  readonly store: { readonly hooks: Pick<Services['store']['hooks'], 'countRuntimes'> };
  readonly hooks: Pick<Services['hooks'], 'health'>;
}

/** What was counted is believed for so long: whoever polls does not have every hook counted each time. */
const believedMilliseconds = 10_000;

/** What is said now; `not_offered` is null while the store does not tell. */
export function createHookHealth({ store, hooks }: HookHealthOptions) {
  let counted: Promise<readonly HookOfNoRuntime[] | null> = Promise.resolve(null);
  let countedAt = Number.NEGATIVE_INFINITY;

  async function count(): Promise<readonly HookOfNoRuntime[] | null> {
    try {
      const offered = hooks.health().runtimes.map(({ name }) => name);
      return (await store.hooks.countRuntimes()).filter(({ runtime }) => !offered.includes(runtime));
    } catch {
      countedAt = Number.NEGATIVE_INFINITY;
      return null;
    }
  }

  return async () => {
    if (performance.now() - countedAt > believedMilliseconds) {
      countedAt = performance.now();
      counted = count();
    }
    const { state, reason, layers, runtimes } = hooks.health();
    return {
      state,
      reason,
      runtimes: runtimes.map((one) => ({ name: one.name, state: one.state, reason: one.reason })),
      not_offered: (await counted)?.map((one) => ({ runtime: one.runtime, hooks: one.hooks })) ?? null,
      layers: layers.map(({ name, state: is, remedy }) => ({ name, state: is, remedy })),
    };
  };
}
