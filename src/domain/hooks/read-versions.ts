/** The kept versions of a hook. */

import type { Services } from '../../services.ts';
import type { HookVersionRecord } from '../../store/hooks.ts';
import type { Account } from '../accounts/account.ts';
import { Failure } from '../failure.ts';
import { requireHook } from './read-hooks.ts';
import { findBuilds, isReady } from './versions.ts';

type Reading = Pick<Services, 'store' | 'packageBuilds'>;

export interface KeptVersion {
  readonly definition: HookVersionRecord;
  /** Names of its variables, except removed ones. */
  readonly envVars: readonly string[];
  /** Whether it is the one that sign-ins run: the newest, or the former one until the newest can run. */
  readonly isRunning: boolean;
}

/** Newest first. Throws `not_found`. */
export async function listVersions(
  services: Reading,
  account: Pick<Account, 'id'>,
  uuid: string,
): Promise<readonly KeptVersion[]> {
  const { hook, definition: newest } = await requireHook(services.store, account, uuid);
  const versions = await services.store.hooks.listVersions(account.id, hook.id);
  const builds = await findBuilds(services, account.id, [newest]);
  const running = isReady(newest, builds) ? newest.version : hook.runningVersion;
  const names = new Map((await services.store.hookVariables.list(account.id)).map(({ id, name }) => [id, name]));
  return versions.map((definition) => ({
    definition,
    envVars: definition.variableIds.flatMap((id) => names.get(id) ?? []),
    isRunning: definition.version === running,
  }));
}

/** Throws `not_found`, also for a version that is no longer kept. */
export async function readVersion(
  services: Reading,
  account: Pick<Account, 'id'>,
  uuid: string,
  version: number,
): Promise<KeptVersion> {
  const found = (await listVersions(services, account, uuid)).find(({ definition }) => definition.version === version);
  if (!found) throw new Failure('not_found', { name: 'version', message: 'there is no such version' });
  return found;
}
