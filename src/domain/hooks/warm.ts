/** Keeps processes ready, so that a sign-in does not wait for one to start. */

import type { Services } from '../../services.ts';
import type { HookVersionRecord } from '../../store/hooks.ts';
import { reasonOf } from '../describe.ts';
import { chooseVersions, recycleNow } from './live.ts';
import { sourceOf } from './source.ts';

/** Accounts warmed at the start; others are warmed by their first sign-in. */
const mostAccounts = 16;
/** Functions compiled in advance for each account; others are compiled when they run. */
const mostHooks = 10;

type WarmServices = Pick<Services, 'store' | 'hooks' | 'packageBuilds' | 'log'>;

export interface Warming {
  /** Settles when the store is no longer queried. */
  stop(): Promise<void>;
}

/**
 * Warms the accounts whose hooks ran last, one after the other. Later, warms each account whose packages were built
 * here, since its functions then run in a new process. Failures are only logged, because the next run starts a process
 * anyway.
 */
export function keepWarm(services: WarmServices): Warming {
  const underWay = new Set<Promise<void>>();
  let isStopped = false;

  function begin(work: () => Promise<void>): void {
    const running = work().catch((error: unknown) => {
      services.log.warn('hooks not warmed', { reason: reasonOf(error) });
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
    // If only few processes fit, the account that is warmed last is the one that stays.
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

/** Runs for strangers start their own process when there are any. */
export function isWarmed({ type, function: source }: HookVersionRecord): boolean {
  return source !== '' && type !== 'user-migration';
}

/** Settles when the account's process has compiled the functions of its next sign-in. */
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
