/** Drafts: a function that runs beside a hook without effect, before it is written to the hook. */

import type { Services } from '../../services.ts';
import type { HookExecutionRecord } from '../../store/hook-executions.ts';
import type { DraftCounts, StoredHook } from '../../store/hooks.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import { Failure } from '../failure.ts';
import { readRuntime } from './definition.ts';
import { recycleNow } from './live.ts';
import type { RunServices } from './one-run.ts';
import { lockHook, requireHook } from './read-hooks.ts';
import { encodeSource, readFunction } from './source.ts';
import { requireStoredHandler } from './try-loading.ts';
import { invalid } from './values.ts';
import {
  type Audited,
  type HookServices,
  renew,
  runningVersionOf,
  type WrittenHook,
  writeVersion,
} from './write-version.ts';

/** How many of the runs in which a draft ended otherwise are shown. */
const mostDifferences = 20;

export interface Draft {
  /** Base64. */
  readonly function: string;
  readonly setAt: number;
}

/** Throws `not_found` for an unknown hook, and for one without a draft. */
export async function readDraft(
  store: Pick<StoreVerbs, 'hooks'>,
  account: Pick<Account, 'id'>,
  uuid: string,
): Promise<Draft> {
  return requireDraft(await requireHook(store, account, uuid));
}

function requireDraft({ hook: { shadowFunction, shadowSetAt } }: StoredHook): Draft {
  if (shadowFunction !== null && shadowSetAt !== null) return { function: shadowFunction, setAt: shadowSetAt };
  throw new Failure('not_found', { name: 'draft', message: 'the hook has no draft' });
}

/** A replacement of the hook may have changed its type since the draft was set. */
function requirePreAuthentication({ type }: StoredHook['hook']): void {
  if (type !== 'pre-authentication') throw invalid('hook', 'must be of type pre-authentication to have a draft');
}

/**
 * Sets a draft in base64 to run beside a hook; results are counted from zero. Throws `not_found`, and `value_invalid`
 * for a draft that does not compile or a hook that is not a pre-authentication.
 */
export async function setDraft(services: RunServices, account: Account, uuid: string, encoded: string): Promise<Draft> {
  await readFunction(services, account, encoded);
  const draft = await services.store.transaction(async (tx) => {
    const { hook } = await lockHook(tx, account, uuid);
    requirePreAuthentication(hook);
    const setAt = Math.max(services.clock.now(), (hook.shadowSetAt ?? 0) + 1);
    await storeDraft(tx, services, account, hook, { function: encoded, setAt });
    return { function: encoded, setAt };
  });
  recycleNow(services.hooks, account.id);
  return draft;
}

/** Throws `not_found` for an unknown hook; `must`: also for one without a draft. */
export async function removeDraft(services: RunServices, account: Account, uuid: string, must: boolean): Promise<void> {
  await services.store.transaction(async (tx) => {
    const stored = await lockHook(tx, account, uuid);
    if (must) requireDraft(stored);
    await storeDraft(tx, services, account, stored.hook, null);
  });
  recycleNow(services.hooks, account.id);
}

async function storeDraft(
  tx: StoreVerbs,
  services: Pick<Services, 'clock' | 'vault'>,
  account: Audited,
  { id, uuid }: StoredHook['hook'],
  draft: Draft | null,
): Promise<void> {
  await tx.hooks.setShadow(account.id, id, draft);
  const detail = { hook_id: uuid, shadow: draft === null ? 'off' : 'on' } as const;
  await recordEvent(tx, services, account, { action: 'hook.shadow_set', target: { type: 'hook', id }, detail });
}

/** The same for a text; null removes it. */
export async function setShadow(
  services: RunServices,
  account: Account,
  uuid: string,
  source: string | null,
): Promise<void> {
  if (source === null) await removeDraft(services, account, uuid, false);
  else await setDraft(services, account, uuid, encodeSource(source));
}

/**
 * The draft becomes the function of a new version, whose other members are those of the newest one, and is no draft any
 * more. Throws `not_found`, and `value_invalid` for a draft without a handler, a hook that is not a pre-authentication
 * any more, and a runtime that is not offered.
 */
export async function promoteDraft(services: HookServices, account: Audited, uuid: string): Promise<WrittenHook> {
  const current = await requireHook(services.store, account, uuid);
  const seen = requireDraft(current);
  const warning = await requireStoredHandler(services, account, { ...current.definition, function: seen.function });
  const promoted = await services.store.transaction(async (tx) => {
    const now = await lockHook(tx, account, uuid);
    const { hook, definition } = now;
    const draft = requireDraft(now);
    requirePreAuthentication(hook);
    readRuntime(services.hookRuntimes, definition.runtime);
    if (draft.setAt !== seen.setAt) throw invalid('draft', 'was changed meanwhile; read it and try again');
    const updatedAt = Math.max(services.clock.now(), hook.updatedAt + 1);
    const runningVersion = await runningVersionOf(services, tx, account, now);
    const one = { accountId: account.id, id: hook.id, runningVersion, updatedAt };
    const next = { ...definition, function: draft.function };
    const stored = await writeVersion(services, tx, account, one, next, definition.packageBuildId);
    const target = { type: 'hook', id: hook.id } as const;
    const detail = { hook_id: uuid, fields: ['function'], version: stored.hook.version };
    await recordEvent(tx, services, account, { action: 'hook.changed', target, detail });
    await storeDraft(tx, services, account, hook, null);
    return { ...stored, hook: { ...stored.hook, shadowFunction: null, shadowSetAt: null } };
  });
  return renew(services, account, promoted, warning);
}

export interface DraftResults extends DraftCounts {
  readonly since: number;
  /** The newest runs in which it ended otherwise, newest first. */
  readonly differences: readonly HookExecutionRecord[];
}

/** What came of the draft since it was set. Throws `not_found`. */
export async function readDraftResults(
  { store }: Pick<Services, 'store'>,
  account: Pick<Account, 'id'>,
  uuid: string,
): Promise<DraftResults> {
  const stored = await requireHook(store, account, uuid);
  const { setAt } = requireDraft(stored);
  const { id } = stored.hook;
  const counts = await store.hooks.countComparisons(account.id, id, setAt);
  // It was replaced just now.
  const { same, different } = counts ?? { same: 0, different: 0 };
  return {
    same,
    different,
    since: setAt,
    differences: await store.hookExecutions.listDifferences(account.id, id, setAt, mostDifferences),
  };
}
