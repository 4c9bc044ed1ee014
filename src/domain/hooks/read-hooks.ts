/** Reading hooks, with the names of their variables and the state of their packages. */

import type { Services } from '../../services.ts';
import type { HookVariableRecord } from '../../store/hook-variables.ts';
import type { HookStatus, StoredHook } from '../../store/hooks.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import { Failure } from '../failure.ts';
import { type ListPage, type ListQuery, mapPage } from '../listing.ts';
import { type Builds, findBuilds, statusOf } from './versions.ts';

type Owner = Pick<Account, 'id'>;
type Reading = Pick<Services, 'store' | 'packageBuilds'>;

export interface NamedHook extends StoredHook {
  /** Names of the variables that the newest version is linked to, except removed ones. */
  readonly envVars: readonly string[];
  readonly status: HookStatus;
}

/** The hook with this UUID and its newest version; throws `not_found`. */
export async function requireHook(store: Pick<StoreVerbs, 'hooks'>, account: Owner, uuid: string): Promise<StoredHook> {
  const stored = await store.hooks.find(account.id, uuid);
  if (!stored) throw unknownHook();
  return stored;
}

/** The same, which nobody else writes until the end of the transaction: a write may carry over what it reads. */
export async function lockHook(tx: StoreVerbs, account: Owner, uuid: string): Promise<StoredHook> {
  await tx.resources.findLocked(account.id, 'hook', uuid);
  return requireHook(tx, account, uuid);
}

export function unknownHook(): Failure {
  return new Failure('not_found', { name: 'hook', message: 'there is no such hook' });
}

export async function readNamedHook(services: Reading, account: Owner, uuid: string): Promise<NamedHook> {
  return describeHook(services, account, await requireHook(services.store, account, uuid));
}

export async function pageHooks(services: Reading, account: Owner, query: ListQuery): Promise<ListPage<NamedHook>> {
  const page = await services.store.hooks.page(account.id, query);
  const variables = await services.store.hookVariables.list(account.id);
  const versions = page.items.map(({ definition }) => definition);
  const builds = await findBuilds(services, account.id, versions);
  return mapPage(page, (stored) => named(stored, variables, builds));
}

export async function describeHook(services: Reading, account: Owner, stored: StoredHook): Promise<NamedHook> {
  const builds = await findBuilds(services, account.id, [stored.definition]);
  return named(stored, await services.store.hookVariables.list(account.id), builds);
}

function named(stored: StoredHook, variables: readonly HookVariableRecord[], builds: Builds): NamedHook {
  const names = new Map(variables.map(({ id, name }) => [id, name]));
  const { hook, definition } = stored;
  return {
    ...stored,
    envVars: definition.variableIds.flatMap((id) => names.get(id) ?? []),
    status: statusOf(definition, hook.runningVersion !== null, builds),
  };
}
