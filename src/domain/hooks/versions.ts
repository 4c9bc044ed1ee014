/** Which version of a hook runs, and the state of its packages. */

import type { Services } from '../../services.ts';
import type { HookStatus, HookVersionRecord } from '../../store/hooks.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { PackageBuild } from './package-builds.ts';

type Version = Pick<HookVersionRecord, 'packageBuildId'>;
export type Builds = ReadonlyMap<number, PackageBuild>;

/** The builds that the account's versions reference. */
export async function findBuilds(
  { store, packageBuilds }: Pick<Services, 'packageBuilds'> & { readonly store: Pick<StoreVerbs, 'packageBuilds'> },
  accountId: number,
  versions: readonly (Version | null)[],
): Promise<Builds> {
  const ids = new Set(versions.flatMap((version) => version?.packageBuildId ?? []));
  return ids.size === 0 ? new Map() : packageBuilds.find(store, accountId, [...ids]);
}

/** Whether a version can run: it has no packages, or they are built. */
export function isReady({ packageBuildId }: Version, builds: Builds): boolean {
  return packageBuildId === null || builds.get(packageBuildId)?.state === 'ready';
}

/** `former`: whether another version runs meanwhile. */
export function statusOf({ packageBuildId }: Version, former: boolean, builds: Builds): HookStatus {
  const state = packageBuildId === null ? 'ready' : (builds.get(packageBuildId)?.state ?? 'queued');
  return state === 'ready' ? 'ready' : `${former ? 'update' : 'create'}-${state}`;
}
