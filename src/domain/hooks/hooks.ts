/** Writing Smart Hooks (the document's §4.4): every write creates a version, and the previous one is kept. */

import { randomUUID } from 'node:crypto';
import type { Services } from '../../services.ts';
import type { HookDefinition, HookVersionRecord, StoredHook } from '../../store/hooks.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import { setFields } from '../audit/events.ts';
import { recordEvent } from '../audit/record.ts';
import { findLinked, type HookInput, type ReadHook, readHook, readRuntime } from './definition.ts';
import { recycleNow } from './live.ts';
import { describeHook, type NamedHook, requireHook, unknownHook } from './read-hooks.ts';
import { sourceOf } from './source.ts';
import { invalid, mostHooks } from './values.ts';
import { findBuilds, isReady } from './versions.ts';
import { isWarmed } from './warm.ts';

type Audited = Pick<Account, 'id' | 'record'>;
type HookServices = Pick<Services, 'store' | 'clock' | 'vault' | 'hooks' | 'hookRuntimes' | 'packageBuilds'>;

/** Creates a hook. Throws `value_invalid`. A hook without packages is ready at once, otherwise once they are built. */
export async function createHook(services: HookServices, account: Audited, input: HookInput): Promise<NamedHook> {
  const read = await check(services, input);
  const uuid = randomUUID();
  const now = services.clock.now();
  const made = await services.store.transaction(async (tx) => {
    if ((await tx.hooks.count(account.id)) >= mostHooks) {
      throw invalid('hook', `cannot be added: the account has ${mostHooks} hooks already`);
    }
    const { definition, packageBuildId } = await complete(services, tx, account, read);
    const hook = { accountId: account.id, uuid, createdAt: now, updatedAt: now };
    const stored = await tx.hooks.create(hook, definition, packageBuildId);
    const target = { type: 'hook', id: stored.hook.id } as const;
    const detail = { hook_id: uuid, fields: setFields(input) };
    await recordEvent(tx, services, account, { action: 'hook.created', target, detail });
    return stored;
  });
  return renew(services, account, made);
}

/**
 * Replaces the whole definition. Throws `not_found`, `value_invalid`. The former version keeps running until the
 * packages are built.
 */
export async function replaceHook(
  services: HookServices,
  account: Audited,
  uuid: string,
  input: HookInput,
): Promise<NamedHook> {
  await requireHook(services.store, account, uuid);
  const read = await check(services, input);
  const former = await requireHook(services.store, account, uuid);
  const runningVersion = await running(services, account, former);
  const updatedAt = services.clock.now();
  const replaced = await services.store.transaction(async (tx) => {
    const { hook } = await requireHook(tx, account, uuid);
    const { definition, packageBuildId } = await complete(services, tx, account, read);
    const one = { accountId: account.id, id: hook.id, runningVersion, updatedAt };
    const stored = await write(services, tx, account, one, definition, packageBuildId);
    const target = { type: 'hook', id: hook.id } as const;
    const detail = { hook_id: uuid, fields: setFields(input) };
    await recordEvent(tx, services, account, { action: 'hook.changed', target, detail });
    return stored;
  });
  return renew(services, account, replaced);
}

/** Removes a hook with all its versions; the records of its runs stay until they expire. Throws `not_found`. */
export async function removeHook(services: HookServices, account: Audited, uuid: string): Promise<void> {
  await services.store.transaction(async (tx) => {
    const { hook } = await requireHook(tx, account, uuid);
    const released = await tx.hooks.remove(account.id, hook.id);
    if (!released) throw unknownHook();
    for (const id of released) await services.packageBuilds.remove(tx, account.id, id);
    const target = { type: 'hook', id: hook.id } as const;
    await recordEvent(tx, services, account, { action: 'hook.removed', target, detail: { hook_id: uuid } });
  });
  recycleNow(services.hooks, account.id);
}

/**
 * Undoes the last write: the previous version's definition becomes the newest version; a second call undoes that.
 * Throws `not_found`, and `value_invalid` when there was no earlier write, or when it names a runtime that is not
 * offered.
 */
export async function rollBackHook(services: HookServices, account: Audited, uuid: string): Promise<NamedHook> {
  const current = await requireHook(services.store, account, uuid);
  const runningVersion = await running(services, account, current);
  const updatedAt = services.clock.now();
  const rolled = await services.store.transaction(async (tx) => {
    const { hook } = await requireHook(tx, account, uuid);
    const former = await tx.hooks.findVersionBefore(account.id, hook.id, hook.version);
    if (!former) throw invalid('hook', 'has no previous version');
    readRuntime(services.hookRuntimes, former.runtime);
    const one = { accountId: account.id, id: hook.id, runningVersion, updatedAt };
    const stored = await write(services, tx, account, one, former, former.packageBuildId);
    const target = { type: 'hook', id: hook.id } as const;
    const detail = { hook_id: uuid, version: stored.hook.version };
    await recordEvent(tx, services, account, { action: 'hook.rolled_back', target, detail });
    return stored;
  });
  return renew(services, account, rolled);
}

/**
 * Enables or disables a hook, whose definition stays otherwise; writes nothing if it is so already. Throws `not_found`,
 * and `value_invalid` when a hook to be enabled names a runtime that is not offered.
 */
export async function switchHook(
  services: HookServices,
  account: Audited,
  uuid: string,
  disabled: boolean,
): Promise<NamedHook> {
  const runningVersion = await running(services, account, await requireHook(services.store, account, uuid));
  const updatedAt = services.clock.now();
  const switched = await services.store.transaction(async (tx) => {
    const former = await requireHook(tx, account, uuid);
    const { hook, definition } = former;
    if (definition.disabled === disabled) return former;
    if (!disabled) readRuntime(services.hookRuntimes, definition.runtime);
    const one = { accountId: account.id, id: hook.id, runningVersion, updatedAt };
    const stored = await write(services, tx, account, one, { ...definition, disabled }, definition.packageBuildId);
    const detail = { hook_id: uuid, fields: ['disabled'] };
    await recordEvent(tx, services, account, { action: 'hook.changed', target: { type: 'hook', id: hook.id }, detail });
    return stored;
  });
  return renew(services, account, switched);
}

/** All checks that need no transaction. */
async function check(services: HookServices, input: HookInput): Promise<ReadHook> {
  const read = readHook(services, input);
  const { packages } = read.definition;
  if (Object.keys(packages).length > 0) await services.packageBuilds.check(packages);
  return read;
}

interface Complete {
  readonly definition: HookDefinition;
  readonly packageBuildId: number | null;
}

async function complete(
  { packageBuilds }: Pick<Services, 'packageBuilds'>,
  tx: StoreVerbs,
  account: Audited,
  { definition, envVars }: ReadHook,
): Promise<Complete> {
  const variables = await findLinked(tx, account, envVars);
  const { packages } = definition;
  const packageBuildId =
    Object.keys(packages).length === 0 ? null : await packageBuilds.queue(tx, account.id, packages);
  return { definition: { ...definition, variableIds: variables.map(({ id }) => id) }, packageBuildId };
}

async function write(
  { packageBuilds }: Pick<Services, 'packageBuilds'>,
  tx: StoreVerbs,
  account: Audited,
  hook: Parameters<StoreVerbs['hooks']['addVersion']>[0],
  definition: HookDefinition,
  packageBuildId: number | null,
): Promise<StoredHook> {
  const written = await tx.hooks.addVersion(hook, definition, packageBuildId);
  if (!written) throw unknownHook();
  for (const id of written.released) await packageBuilds.remove(tx, account.id, id);
  return written.stored;
}

/** The version that keeps running until another is ready. */
async function running(
  services: Pick<Services, 'store' | 'packageBuilds'>,
  account: Audited,
  { hook, definition }: { readonly hook: StoredHook['hook']; readonly definition: HookVersionRecord },
): Promise<number | null> {
  const builds = await findBuilds(services, account.id, [definition]);
  return isReady(definition, builds) ? definition.version : hook.runningVersion;
}

/** Takes effect here at once; other processes notice the change at their next run. */
async function renew(services: HookServices, account: Audited, stored: StoredHook): Promise<NamedHook> {
  const { definition } = stored;
  recycleNow(services.hooks, account.id);
  const described = await describeHook(services, account, stored);
  if (definition.packageBuildId !== null) services.packageBuilds.wake();
  else if (!definition.disabled && isWarmed(definition)) {
    const { runtime } = definition;
    const source = sourceOf(definition.function);
    void services.hooks.warm({ accountId: account.id, runtime, source, packages: null });
  }
  return described;
}
