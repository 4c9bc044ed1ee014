/** The functions that a process has compiled, each under a number. */

import { type HookRun, mostCompileMilliseconds } from '../domain/hooks/runner.ts';
import type { ToProcess } from './protocol.ts';

export type Code = Pick<HookRun, 'source' | 'packages'>;

/** `error` says why it does not compile; null when the process ended before it said. */
type Loaded = { readonly number: number } | { readonly error: string } | null;

interface Hook extends Code {
  readonly number: number;
  readonly loaded: Promise<Loaded>;
  readonly settle: (loaded: Loaded) => void;
}

export interface Loads {
  load(code: Code): Promise<Loaded>;
  /** What the process said of a function. */
  settle(number: number, error: string | null): void;
  /** The process has ended. */
  end(): void;
}

export function createLoads(send: (message: ToProcess) => void, late: () => void): Loads {
  const hooks: Hook[] = [];

  async function loadFirst({ source, packages }: Code): Promise<Loaded> {
    const number = hooks.length + 1;
    const { promise: loaded, resolve: settle } = Promise.withResolvers<Loaded>();
    hooks.push({ source, packages, number, loaded, settle });
    send({ op: 'load', hook: number, source, packages });
    const timer = setTimeout(late, mostCompileMilliseconds);
    const result = await loaded;
    clearTimeout(timer);
    return result;
  }

  return {
    load(code) {
      // Texts of the same memory compare at once, so that a large bundle costs nothing here.
      const known = hooks.find(({ source, packages }) => source === code.source && packages === code.packages);
      return known ? known.loaded : loadFirst(code);
    },
    settle: (number, error) => hooks[number - 1]?.settle(error === null ? { number } : { error: String(error) }),
    end() {
      for (const { settle } of hooks) settle(null);
    },
  };
}
