/** Smart Hooks as they are written (the document's §4.4): every write is a version, and the one before it is kept. */

import { randomUUID } from 'node:crypto';
import type { Services } from '../../services.ts';
import type { HookDefinition, HookStatus, HookVariableRecord, StoredHook } from '../../store/records.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import { setFields } from '../audit/events.ts';
import { recordEvent } from '../audit/record.ts';
import { Failure } from '../failure.ts';
import { type ListPage, type ListQuery, mapPage } from '../listing.ts';
import { findLinked, type HookInput, readHook } from './definition.ts';
import { recycleNow } from './live.ts';
import { sourceOf } from './source.ts';
import { invalid, mostHooks } from './values.ts';

type Owner = Pick<Account, 'id'>;
type Audited = Pick<Account, 'id' | 'record'>;
type HookServices = Pick<Services, 'store' | 'clock' | 'vault' | 'hooks' | 'hookRuntimes'>;

/** A hook with the names of the variables that its newest version is linked to. */
export interface NamedHook extends StoredHook {
  readonly envVars: readonly string[];
}

/** Makes a hook. Throws `value_invalid`. Without packages, or disabled or not, it is ready at once. */
export async function createHook(services: HookServices, account: Audited, input: HookInput): Promise<NamedHook> {
  const { definition: read, envVars } = readHook(services, input);
  const uuid = randomUUID();
  const now = services.clock.now();
  const made = await services.store.transaction(async (tx) => {
    if ((await tx.hooks.count(account.id)) >= mostHooks) {
      throw invalid('type', `would be of more than ${mostHooks} hooks of the account`);
    }
    const definition = await linked(tx, account, read, envVars);
    const status = statusOf(definition, 'create');
    const hook = { accountId: account.id, uuid, status, createdAt: now, updatedAt: now };
    const stored = await tx.hooks.create(hook, definition);
    const target = { type: 'hook', id: stored.hook.id } as const;
    const detail = { hook_id: uuid, fields: setFields(input) };
    await recordEvent(tx, services, account, { action: 'hook.created', target, detail });
    return { ...stored, envVars };
  });
  renew(services, made);
  return made;
}

/** Replaces all that a hook says. Throws `not_found`, `value_invalid`. What ran before runs on until packages are built. */
export async function replaceHook(
  services: HookServices,
  account: Audited,
  uuid: string,
  input: HookInput,
): Promise<NamedHook> {
  await requireHook(services.store, account, uuid);
  const { definition: read, envVars } = readHook(services, input);
  const updatedAt = services.clock.now();
  const replaced = await services.store.transaction(async (tx) => {
    const { hook } = await requireHook(tx, account, uuid);
    const definition = await linked(tx, account, read, envVars);
    const status = statusOf(definition, hook.runningVersion === null ? 'create' : 'update');
    const stored = await tx.hooks.addVersion(
      { accountId: account.id, id: hook.id, status, updatedAt },
      definition,
      null,
    );
    if (!stored) throw unknownHook();
    const target = { type: 'hook', id: hook.id } as const;
    const detail = { hook_id: uuid, fields: setFields(input) };
    await recordEvent(tx, services, account, { action: 'hook.changed', target, detail });
    return { ...stored, envVars };
  });
  renew(services, replaced);
  return replaced;
}

/** The hook with this UUID; throws `not_found`. */
export async function requireHook(store: Pick<StoreVerbs, 'hooks'>, account: Owner, uuid: string): Promise<StoredHook> {
  const stored = await store.hooks.find(account.id, uuid);
  if (!stored) throw unknownHook();
  return stored;
}

/** The same with the names of its variables. */
export async function readNamedHook(
  { store }: Pick<Services, 'store'>,
  account: Owner,
  uuid: string,
): Promise<NamedHook> {
  const stored = await requireHook(store, account, uuid);
  return named(stored, await store.hookVariables.list(account.id));
}

export async function pageHooks(
  { store }: Pick<Services, 'store'>,
  account: Owner,
  query: ListQuery,
): Promise<ListPage<NamedHook>> {
  const page = await store.hooks.page(account.id, query);
  const variables = await store.hookVariables.list(account.id);
  return mapPage(page, (stored) => named(stored, variables));
}

/** Removes a hook with all its versions; the records of its runs stay until they expire. Throws `not_found`. */
export async function removeHook(services: HookServices, account: Audited, uuid: string): Promise<void> {
  await services.store.transaction(async (tx) => {
    const { hook } = await requireHook(tx, account, uuid);
    if (!(await tx.hooks.remove(account.id, hook.id))) throw unknownHook();
    const target = { type: 'hook', id: hook.id } as const;
    await recordEvent(tx, services, account, { action: 'hook.removed', target, detail: { hook_id: uuid } });
  });
  recycleNow(services.hooks, account.id);
}

/**
 * Undoes the last write: what the version before it says is the newest version again, and once more undoes that.
 * Throws `not_found`, `value_invalid` when there was no write before.
 */
export async function rollBackHook(services: HookServices, account: Audited, uuid: string): Promise<NamedHook> {
  const updatedAt = services.clock.now();
  const rolled = await services.store.transaction(async (tx) => {
    const { hook } = await requireHook(tx, account, uuid);
    const former = await tx.hooks.findVersionBefore(account.id, hook.id, hook.version);
    if (!former) throw invalid('hook', 'was written once: there is no version before it');
    const built = former.bundleDigest !== null;
    const status = built ? 'ready' : statusOf(former, hook.runningVersion === null ? 'create' : 'update');
    const one = { accountId: account.id, id: hook.id, status, updatedAt };
    const stored = await tx.hooks.addVersion(one, former, former.bundleDigest);
    if (!stored) throw unknownHook();
    const target = { type: 'hook', id: hook.id } as const;
    const detail = { hook_id: uuid, version: stored.hook.version };
    await recordEvent(tx, services, account, { action: 'hook.rolled_back', target, detail });
    return named(stored, await tx.hookVariables.list(account.id));
  });
  renew(services, rolled);
  return rolled;
}

function statusOf({ packages }: Pick<HookDefinition, 'packages'>, write: 'create' | 'update'): HookStatus {
  return Object.keys(packages).length === 0 ? 'ready' : `${write}-queued`;
}

async function linked(
  tx: StoreVerbs,
  account: Owner,
  definition: Omit<HookDefinition, 'variableIds'>,
  names: readonly string[],
): Promise<HookDefinition> {
  const variables = await findLinked(tx, account, names);
  return { ...definition, variableIds: variables.map(({ id }) => id) };
}

function named(stored: StoredHook, variables: readonly HookVariableRecord[]): NamedHook {
  const names = new Map(variables.map(({ id, name }) => [id, name]));
  return { ...stored, envVars: stored.definition.variableIds.flatMap((id) => names.get(id) ?? []) };
}

/** Here at once; other processes see at the next run that something changed. */
function renew({ hooks }: Pick<Services, 'hooks'>, { hook, definition }: StoredHook): void {
  recycleNow(hooks, hook.accountId);
  const runs = !hook.disabled && hook.runningVersion === definition.version && definition.function !== '';
  if (!runs || definition.bundleDigest !== null) return;
  hooks.warm({ accountId: hook.accountId, source: sourceOf(definition.function), packages: null });
}

function unknownHook(): Failure {
  return new Failure('not_found', { name: 'hook', message: 'there is no such hook' });
}
