/** Hooks whose answers a test decides: what runs functions is tested elsewhere. */

import type { HookRun, HookRunner, HookRunResult } from '../../src/domain/hooks/runner.ts';

/** What a function answers: a value, or `fail` where it throws; it may take its time. */
export type Script = (context: Readonly<Record<string, unknown>>) => unknown;

export const fail = Symbol('the function throws');

export interface ScriptedHooks extends HookRunner {
  /** What pre-authentication answers from now on. */
  answer: Script;
  /** What user-migration answers. */
  migrate: Script;
  /** Contexts of pre-authentication, oldest first. */
  readonly seen: Readonly<Record<string, unknown>>[];
}

/** Starts nothing to load a function. */
export const load: HookRunner['load'] = async () => ({ says: 'handler' });

/** Answers at once, in the process of the test. */
export function scriptedHooks(): ScriptedHooks {
  const scripted: ScriptedHooks = {
    answer: () => null,
    migrate: () => null,
    seen: [],
    run: async ({ context }: HookRun): Promise<HookRunResult> => {
      const read: Record<string, unknown> = JSON.parse(context);
      const isMigration = 'password' in read;
      if (!isMigration) scripted.seen.push(read);
      const value = await (isMigration ? scripted.migrate(read) : scripted.answer(read));
      const error = value === fail ? { name: 'Error', message: 'as the test wants it' } : null;
      return {
        ending: error ? 'error' : 'success',
        value: JSON.stringify(error ? null : (value ?? null)),
        error,
        output: [],
        dropped: 0,
        durationMilliseconds: 1,
      };
    },
    load,
    checkSyntax: async () => ({ says: 'compiles' }),
    warm: async () => {},
    recycle: () => {},
    health: () => ({ state: 'ok', reason: null, layers: [], runtimes: [] }),
    close: async () => {},
  };
  return scripted;
}

/** A promise, and what fulfils it. */
export function gate(): { readonly opened: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}
