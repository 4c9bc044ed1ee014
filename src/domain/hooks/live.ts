/** The hooks in force: checked at every firing, and served from memory while the account has not changed. */

import type { Services } from '../../services.ts';
import type { HookVariableRecord } from '../../store/hook-variables.ts';
import type { HookType, LiveHook, StoredHook } from '../../store/hooks.ts';
import type { Account } from '../accounts/account.ts';
import { perKey } from '../per-key.ts';
import type { HookRunner } from './runner.ts';
import { findBuilds, isReady } from './versions.ts';

interface LiveHooks {
  /** Hooks of the type in order of creation, without those whose function is empty. */
  readonly hooks: readonly StoredHook[];
  /** All variables of the account. */
  readonly variables: readonly HookVariableRecord[];
}

export async function findLiveHooks(
  services: Pick<Services, 'store' | 'hooks' | 'packageBuilds'>,
  account: Account,
  type: HookType,
): Promise<LiveHooks> {
  const { store } = services;
  const live = await store.hooks.listLive(account.id);
  if (!live.some(({ newest, former }) => newest.type === type || former?.type === type)) {
    return { hooks: [], variables: [] };
  }
  const all = await chooseVersions(services, account.id, live);
  const hooks = all.filter(({ definition }) => definition.type === type && definition.function !== '');
  const variables = await store.hookVariables.list(account.id);
  recycleWhenChanged(services.hooks, account.id, all, variables);
  return { hooks, variables };
}

/** The running version of each hook; a hook without one is left out. */
export async function chooseVersions(
  services: Pick<Services, 'store' | 'packageBuilds'>,
  accountId: number,
  live: readonly LiveHook[],
): Promise<readonly StoredHook[]> {
  const builds = await findBuilds(
    services,
    accountId,
    live.map(({ newest }) => newest),
  );
  return live.flatMap(({ hook, newest, former }) => {
    const definition = isReady(newest, builds) ? newest : former;
    return definition ? [{ hook, definition }] : [];
  });
}

/** The generation that each account's processes were last given, by runner. */
const given = perKey<HookRunner, Map<number, string>>(() => new Map());
const mostGiven = 10_000;

/** After a change made by another process: the functions restart here as they did there. */
function recycleWhenChanged(
  runner: HookRunner,
  accountId: number,
  hooks: readonly StoredHook[],
  variables: readonly HookVariableRecord[],
): void {
  const known = given(runner);
  const now = [
    ...hooks.map(({ hook, definition }) => `${hook.id}.${definition.version}`),
    ...variables.map(({ id, updatedAt }) => `${id}@${updatedAt}`),
  ].join(' ');
  const before = known.get(accountId);
  if (before === now) return;
  const [oldest] = known.keys();
  if (oldest !== undefined && known.size >= mostGiven) known.delete(oldest);
  known.set(accountId, now);
  if (before !== undefined) runner.recycle(accountId);
}

/** After a change made by this process: the account's functions run in a new process from now on. */
export function recycleNow(runner: HookRunner, accountId: number): void {
  given(runner).delete(accountId);
  runner.recycle(accountId);
}
