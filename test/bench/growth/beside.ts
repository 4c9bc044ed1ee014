/**
 * What others notice of an administrator's work: refreshes and `/healthz`, asked for at a fixed rate by a process of
 * its own.
 */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { percentile } from '../../support/statistics.ts';
import { keepWatch } from '../servers.ts';
import type { Target } from '../target.ts';

/** Since the last time: milliseconds of each request, from when it was due. */
export interface Noticed {
  readonly refreshes: readonly number[];
  readonly healthz: readonly number[];
  readonly errors: number;
  readonly firstError: string | null;
}

export type ToBeside = { readonly target: Target } | 'take';
export type FromBeside = { readonly noticed: Noticed };

export interface Beside {
  /** The figures since the last call, once all requests until now are answered. */
  take(): Promise<Noticed>;
  stop(): void;
}

export function startBeside(target: Target): Beside {
  const child = fork(fileURLToPath(new URL('beside-process.ts', import.meta.url)), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  keepWatch(child);
  const gone = new AbortController();
  child.once('exit', () => gone.abort(new Error('the process of the refreshes ended')));
  child.send({ target } satisfies ToBeside);
  return {
    take: async () => {
      child.send('take' satisfies ToBeside);
      const [message] = (await once(child, 'message', { signal: gone.signal })) as [FromBeside];
      return message.noticed;
    },
    stop: () => void child.kill(),
  };
}

/** What is reported of it: the 99th percentile of refreshes, and the longest `/healthz`. */
export function worstOf({ refreshes, healthz }: Pick<Noticed, 'refreshes' | 'healthz'>) {
  return { refresh: percentile(refreshes, 0.99), healthz: percentile(healthz, 1) };
}
