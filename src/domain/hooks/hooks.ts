/** Writing Smart Hooks (the document's §4.4): every write creates a version, and the previous one is kept. */

import { randomUUID } from 'node:crypto';
import type { Services } from '../../services.ts';
import type { HookDefinition, HookVersionRecord, StoredHook } from '../../store/hooks.ts';
import type { StoreVerbs } from '../../store/store.ts';
import { setFields } from '../audit/events.ts';
import { recordEvent } from '../audit/record.ts';
import type { Failure } from '../failure.ts';
import { findLinked, type HookInput, type ReadHook, readHook, readRuntime } from './definition.ts';
import { recycleNow } from './live.ts';
import { lockHook, requireHook, unknownHook } from './read-hooks.ts';
import { requireHandler, requireStoredHandler } from './try-loading.ts';
import { invalid, mostHooks } from './values.ts';
import {
  type Audited,
  currentAuthor,
  type HookServices,
  renew,
  runningVersionOf,
  type WrittenHook,
  writeVersion,
} from './write-version.ts';

/** Creates a hook. Throws `value_invalid`. A hook without packages is ready at once, otherwise once they are built. */
export async function createHook(services: HookServices, account: Audited, input: HookInput): Promise<WrittenHook> {
  const read = await check(services, account, input);
  const uuid = randomUUID();
  const now = services.clock.now();
  const made = await services.store.transaction(async (tx) => {
    if ((await tx.hooks.count(account.id)) >= mostHooks) {
      throw invalid('hook', `cannot be added: the account has ${mostHooks} hooks already`);
    }
    const { definition, packageBuildId } = await complete(services, tx, account, read);
    const hook = { accountId: account.id, uuid, createdAt: now, updatedAt: now, ...currentAuthor() };
    const stored = await tx.hooks.create(hook, definition, packageBuildId);
    const target = { type: 'hook', id: stored.hook.id } as const;
    const detail = { hook_id: uuid, fields: setFields(input) };
    await recordEvent(tx, services, account, { action: 'hook.created', target, detail });
    return stored;
  });
  return renew(services, account, made, read.warning);
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
): Promise<WrittenHook> {
  await requireHook(services.store, account, uuid);
  const read = await check(services, account, input);
  const updatedAt = services.clock.now();
  const replaced = await services.store.transaction(async (tx) => {
    const former = await lockHook(tx, account, uuid);
    const { hook } = former;
    const runningVersion = await runningVersionOf(services, tx, account, former);
    const { definition, packageBuildId } = await complete(services, tx, account, read);
    const one = { accountId: account.id, id: hook.id, runningVersion, updatedAt };
    const stored = await writeVersion(services, tx, account, one, definition, packageBuildId);
    const target = { type: 'hook', id: hook.id } as const;
    const detail = { hook_id: uuid, fields: setFields(input) };
    await recordEvent(tx, services, account, { action: 'hook.changed', target, detail });
    return stored;
  });
  return renew(services, account, replaced, read.warning);
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
 * An earlier version's definition becomes the newest version. `wanted` null: the previous one, which undoes the last
 * write; a second call undoes that. Throws `not_found`, and `value_invalid` when there was no earlier write, when the
 * wanted version is not kept or is the newest, or when it names a runtime that is not offered.
 */
export async function rollBackHook(
  services: HookServices,
  account: Audited,
  uuid: string,
  wanted: number | null = null,
): Promise<WrittenHook> {
  const current = await requireHook(services.store, account, uuid);
  const before = await findEarlier(services.store, current, wanted);
  const warning = before && !before.disabled ? await requireStoredHandler(services, account, before) : null;
  const rolled = await services.store.transaction(async (tx) => {
    const now = await lockHook(tx, account, uuid);
    const { hook } = now;
    const former = await findEarlier(tx, now, wanted);
    if (!former) throw wanted === null ? invalid('hook', 'has no previous version') : unkept();
    if (former.version === hook.version) throw invalid('version', 'must be an earlier one: it is the newest already');
    // Later each time: what it shows may be the same.
    const updatedAt = Math.max(services.clock.now(), hook.updatedAt + 1);
    readRuntime(services.hookRuntimes, former.runtime);
    const runningVersion = await runningVersionOf(services, tx, account, now);
    const one = { accountId: account.id, id: hook.id, runningVersion, updatedAt };
    const stored = await writeVersion(services, tx, account, one, former, former.packageBuildId);
    const target = { type: 'hook', id: hook.id } as const;
    const detail = { hook_id: uuid, version: stored.hook.version };
    await recordEvent(tx, services, account, { action: 'hook.rolled_back', target, detail });
    return stored;
  });
  return renew(services, account, rolled, warning);
}

/** The wanted version, or the previous one; null when it is not there. */
function findEarlier(
  { hooks }: Pick<StoreVerbs, 'hooks'>,
  { hook: { accountId, id, version } }: StoredHook,
  wanted: number | null,
): Promise<HookVersionRecord | null> {
  return wanted === null ? hooks.findVersionBefore(accountId, id, version) : hooks.findVersion(accountId, id, wanted);
}

function unkept(): Failure {
  return invalid('version', 'must be one that is kept; GET /api/2/hooks/{id}/versions lists them');
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
): Promise<WrittenHook> {
  const current = await requireHook(services.store, account, uuid);
  const isNews = current.definition.disabled !== disabled;
  const warning = isNews && !disabled ? await requireStoredHandler(services, account, current.definition) : null;
  const updatedAt = services.clock.now();
  const switched = await services.store.transaction(async (tx) => {
    const former = await lockHook(tx, account, uuid);
    const { hook, definition } = former;
    if (definition.disabled === disabled) return former;
    if (!disabled) readRuntime(services.hookRuntimes, definition.runtime);
    const runningVersion = await runningVersionOf(services, tx, account, former);
    const one = { accountId: account.id, id: hook.id, runningVersion, updatedAt };
    const stored = await writeVersion(
      services,
      tx,
      account,
      one,
      { ...definition, disabled },
      definition.packageBuildId,
    );
    const detail = { hook_id: uuid, fields: ['disabled'] };
    await recordEvent(tx, services, account, { action: 'hook.changed', target: { type: 'hook', id: hook.id }, detail });
    return stored;
  });
  return renew(services, account, switched, warning);
}

interface CheckedHook extends ReadHook {
  readonly warning: string | null;
}

/** All checks that need no transaction. What needs packages is loaded once they are built. */
async function check(services: HookServices, account: Audited, input: HookInput): Promise<CheckedHook> {
  const read = await readHook(services, account, input);
  const { definition, envVars } = read;
  if (Object.keys(definition.packages).length > 0) {
    await services.packageBuilds.check(definition.packages);
    return { ...read, warning: null };
  }
  const variables = await findLinked(services.store, account, envVars);
  return { ...read, warning: await requireHandler(services, account, { ...definition, packages: null }, variables) };
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
