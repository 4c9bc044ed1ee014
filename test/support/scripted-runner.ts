/** A hook runner whose answers the test writes; it compiles as the real one does. */

import { Script } from 'node:vm';
import type { HookRun, HookRunner, HookRunResult } from '../../src/domain/hooks/runner.ts';

/** Parts of a result; the rest says that the function answered nothing. */
export type Scripted = (call: HookRun) => Partial<HookRunResult> | Promise<Partial<HookRunResult>>;

export interface ScriptedRunner extends HookRunner {
  /** What functions with this text in their source do. */
  script(marker: string, answer: Scripted): void;
  readonly calls: readonly HookRun[];
  /** Accounts whose processes were ended, in order. */
  readonly recycled: readonly number[];
}

export function scriptedRunner(): ScriptedRunner {
  const scripts: (readonly [string, Scripted])[] = [];
  const calls: HookRun[] = [];
  const recycled: number[] = [];
  return {
    calls,
    recycled,
    script: (marker, answer) => void scripts.unshift([marker, answer]),
    run: async (call) => {
      calls.push(call);
      const found = scripts.find(([marker]) => call.source.includes(marker));
      const nothing = { ending: 'success', value: 'null', error: null, output: [], dropped: 0 } as const;
      return { ...nothing, durationMilliseconds: 1, ...(await found?.[1](call)) };
    },
    checkSyntax: (source) => {
      try {
        new Script(source, { filename: 'hook.js' });
        return null;
      } catch (error) {
        const [where = '', , caret = ''] = String((error as Error).stack).split('\n');
        const line = Number(/:(\d+)$/.exec(where)?.[1] ?? 1);
        return { line, column: caret.indexOf('^') + 1, message: (error as Error).message };
      }
    },
    warm: () => {},
    recycle: (accountId) => void recycled.push(accountId),
    health: () => ({ state: 'ok', reason: null, layers: [] }),
    close: async () => {},
  };
}
