/** What all writes of a hook have in common: a new version, which takes effect once it can run. */

import type { Services } from '../../services.ts';
import type { HookDefinition, HookVersionRecord, StoredHook } from '../../store/hooks.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import { currentAuditContext } from '../audit/context.ts';
import { warningOf } from './conditions.ts';
import { recycleNow } from './live.ts';
import { describeHook, type NamedHook, unknownHook } from './read-hooks.ts';
import { sourceOf } from './source.ts';
import { findBuilds, isReady } from './versions.ts';
import { isWarmed } from './warm.ts';

export type Audited = Pick<Account, 'id' | 'record'>;
export type HookServices = Pick<Services, 'store' | 'clock' | 'vault' | 'hooks' | 'hookRuntimes' | 'packageBuilds'>;

/** The answer to a write. */
export interface WrittenHook extends NamedHook {
  /** Why it could not be found out whether the function exports a handler, and which conditions name no role; else null. */
  readonly warning: string | null;
}

type Author = Pick<HookVersionRecord, 'authorType' | 'authorId'>;

/** The actor of the trail, who is also kept with the version. */
export function currentAuthor(): Author {
  const { type, id } = currentAuditContext().actor ?? { type: 'system', id: null };
  return { authorType: type, authorId: id };
}

/** Adds a version to a hook, now the newest. Throws `not_found`. */
export async function writeVersion(
  { packageBuilds }: Pick<Services, 'packageBuilds'>,
  tx: StoreVerbs,
  account: Audited,
  hook: Omit<Parameters<StoreVerbs['hooks']['addVersion']>[0], keyof Author>,
  definition: HookDefinition,
  packageBuildId: number | null,
): Promise<StoredHook> {
  const written = await tx.hooks.addVersion({ ...hook, ...currentAuthor() }, definition, packageBuildId);
  if (!written) throw unknownHook();
  for (const id of written.released) await packageBuilds.remove(tx, account.id, id);
  return written.stored;
}

/** The version that keeps running until another is ready; part of a transaction that has locked the hook. */
export async function runningVersionOf(
  { packageBuilds }: Pick<Services, 'packageBuilds'>,
  tx: Pick<StoreVerbs, 'packageBuilds'>,
  account: Audited,
  { hook, definition }: { readonly hook: StoredHook['hook']; readonly definition: HookVersionRecord },
): Promise<number | null> {
  const builds = await findBuilds({ store: tx, packageBuilds }, account.id, [definition]);
  return isReady(definition, builds) ? definition.version : hook.runningVersion;
}

/** Takes effect here at once; other processes notice the change at their next run. */
export async function renew(
  services: HookServices,
  account: Audited,
  stored: StoredHook,
  warning: string | null,
): Promise<WrittenHook> {
  const { definition } = stored;
  recycleNow(services.hooks, account.id);
  const described = await describeHook(services, account, stored);
  if (definition.packageBuildId !== null) services.packageBuilds.wake();
  else if (!definition.disabled && isWarmed(definition)) {
    const { runtime } = definition;
    const source = sourceOf(definition.function);
    void services.hooks.warm({ accountId: account.id, runtime, source, packages: null });
  }
  const warnings = [warning, await warningOf(services.store, account.id, definition.conditions)];
  return { ...described, warning: warnings.filter((one) => one !== null).join('; ') || null };
}
