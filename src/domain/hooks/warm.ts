/** Keeps processes ready, so that a sign-in need not wait for one to start. */

import type { Services } from '../../services.ts';
import type { HookVersionRecord } from '../../store/hooks.ts';
import { chooseVersions, recycleNow } from './live.ts';
import { sourceOf } from './source.ts';

/** Of the start: what is used beyond these warms at its first sign-in. */
const mostAccounts = 16;
/** What one account has ready; the others are compiled when they run. */
const mostHooks = 10;

type WarmServices = Pick<Services, 'store' | 'hooks' | 'packageBuilds' | 'log'>;

export interface Warming {
  /** Settles when nothing asks the store any more. */
  stop(): Promise<void>;
}

/**
 * Warms the accounts whose hooks ran last, one after the other, and from now on each account whose packages were built
 * here: they run in a new process from then on. Failures are logged, as whatever runs next finds its process anyway.
 */
export function keepWarm(services: WarmServices): Warming {
  const underWay = new Set<Promise<void>>();
  let isStopped = false;

  function begin(work: () => Promise<void>): void {
    const running = work().catch((error: unknown) => {
      services.log.warn('hooks not warmed', { reason: error instanceof Error ? error.message : 'not an error' });
    });
    underWay.add(running);
    void running.then(() => underWay.delete(running));
  }

  services.packageBuilds.onEnd((accountId, { state }) => {
    if (state !== 'ready' || isStopped) return;
    recycleNow(services.hooks, accountId);
    begin(() => warmAccount(services, accountId));
  });
  begin(async () => {
    const start = performance.now();
    let count = 0;
    // Where there is room for few, the account that is warmed last is the one that stays.
    for (const accountId of [...(await services.store.hooks.listAccounts(mostAccounts))].reverse()) {
      if (isStopped) return;
      await warmAccount(services, accountId);
      count += 1;
    }
    if (count > 0) services.log.info('hooks warmed', { count, milliseconds: Math.round(performance.now() - start) });
  });
  return {
    async stop() {
      isStopped = true;
      await Promise.all(underWay);
    },
  };
}

/** Runs for strangers start a process of their own when there are some. */
export function isWarmed({ type, function: source }: HookVersionRecord): boolean {
  return source !== '' && type !== 'user-migration';
}

/** Settles when the account's process has compiled what runs at its next sign-in. */
async function warmAccount(services: WarmServices, accountId: number): Promise<void> {
  const { store, hooks, packageBuilds } = services;
  const running = await chooseVersions(services, accountId, await store.hooks.listLive(accountId));
  const used = running.filter(({ definition }) => isWarmed(definition)).slice(0, mostHooks);
  for (const { definition } of used) {
    const { packageBuildId, runtime } = definition;
    const packages = packageBuildId === null ? null : await packageBuilds.read(accountId, packageBuildId);
    await hooks.warm({ accountId, runtime, source: sourceOf(definition.function), packages });
  }
}
