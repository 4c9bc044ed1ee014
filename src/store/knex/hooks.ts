import type { Knex } from 'knex';
import type { HookDefinition, HookVersionRecord, StoredHook } from '../records.ts';
import type { HookStore } from '../store.ts';
import * as rows from './hook-rows.ts';
import { type Listing, listPage } from './list.ts';
import { filled } from './list-index.ts';
import type { DbRow } from './shape.ts';
import { together } from './transact.ts';

/** Versions of a hook that are kept, beside the one that runs. */
const versionsKept = 10;

const listing: Listing<StoredHook['hook']> = {
  table: 'hooks',
  id: 'id',
  columns: {
    created_at: filled('number', 'created_at'),
    updated_at: filled('number', 'updated_at'),
    type: filled('text', 'type'),
  },
  read: rows.hooks.read,
};

/** Hooks with one version each: the one that `column` of the hook names. */
function withVersions(db: Knex, column: 'version' | 'running_version', accountId: number): Knex.QueryBuilder {
  return db('hooks as h')
    .join('hook_versions as v', {
      'v.account_id': 'h.account_id',
      'v.hook_id': 'h.id',
      'v.version': `h.${column}`,
    })
    .where('h.account_id', accountId)
    .orderBy('h.id')
    .select([...rows.hooks.select('h', 'h_'), ...rows.hookVersions.select('v', 'v_')]);
}

const readHook = rows.hooks.reader('h_');
const readVersion = rows.hookVersions.reader('v_');

function readStored(row: DbRow): StoredHook {
  return { hook: readHook(row), definition: readVersion(row) };
}

async function addVersion(
  tx: Knex,
  { hook }: Pick<StoredHook, 'hook'>,
  definition: HookDefinition,
  bundleDigest: string | null,
): Promise<HookVersionRecord> {
  const { accountId, id: hookId, version, updatedAt: createdAt } = hook;
  const one = { ...definition, accountId, hookId, version, bundleDigest, createdAt };
  await tx('hook_versions').insert(rows.hookVersions.write(one));
  return one;
}

/** What the row of a hook says of its newest version. */
function newest({ type, disabled }: HookDefinition, version: number, status: string, updatedAt: number) {
  const running = status === 'ready' ? { running_version: version } : {};
  return { type, disabled: disabled ? 1 : 0, status, version, updated_at: updatedAt, ...running };
}

function versionVerbs(db: Knex): Pick<HookStore, 'addVersion' | 'findVersion' | 'findVersionBefore'> {
  const versions = (accountId: number, hookId: number) =>
    db('hook_versions').where({ account_id: accountId, hook_id: hookId });
  return {
    addVersion: ({ accountId, id, status, updatedAt }, definition, bundleDigest) =>
      together(db, async (tx) => {
        const one = () => tx('hooks').where({ account_id: accountId, id });
        // Locks the hook: two writes at once make two versions, one after the other.
        const [counted] = await one().increment('version', 1).returning('version');
        if (!counted) return null;
        const version = Number(counted.version);
        const [row] = await one()
          .update(newest(definition, version, status, updatedAt))
          .returning('*');
        const hook = rows.hooks.read(row);
        const stored = { hook, definition: await addVersion(tx, { hook }, definition, bundleDigest) };
        await tx('hook_versions')
          .where({ account_id: accountId, hook_id: id })
          .where('version', '<=', version - versionsKept)
          .whereNot('version', hook.runningVersion ?? 0)
          .delete();
        return stored;
      }),
    findVersion: async (accountId, hookId, version) => {
      const row = await versions(accountId, hookId).where({ version }).first();
      return row ? rows.hookVersions.read(row) : null;
    },
    findVersionBefore: async (accountId, hookId, version) => {
      const row = await versions(accountId, hookId).where('version', '<', version).orderBy('version', 'desc').first();
      return row ? rows.hookVersions.read(row) : null;
    },
  };
}

export function hookVerbs(db: Knex): HookStore {
  return {
    ...versionVerbs(db),
    create: (hook, definition) =>
      together(db, async (tx) => {
        const { accountId, uuid, status, createdAt, updatedAt } = hook;
        const own = { account_id: accountId, uuid, created_at: createdAt };
        const [row] = await tx('hooks')
          .insert({ ...own, ...newest(definition, 1, status, updatedAt) })
          .returning('*');
        const made = rows.hooks.read(row);
        return { hook: made, definition: await addVersion(tx, { hook: made }, definition, null) };
      }),
    find: async (accountId, uuid) => {
      const row = await withVersions(db, 'version', accountId).where('h.uuid', uuid).first();
      return row ? readStored(row) : null;
    },
    count: async (accountId) => {
      const [counted] = await db('hooks').where('account_id', accountId).count({ total: '*' });
      return Number(counted?.['total']);
    },
    page: async (accountId, query) => {
      const page = await listPage(db, listing, accountId, query);
      const ids = page.items.map(({ id }) => id);
      const found: DbRow[] = await withVersions(db, 'version', accountId).whereIn('h.id', ids);
      const stored = new Map(found.map(readStored).map((one) => [one.hook.id, one]));
      return { ...page, items: ids.flatMap((id) => stored.get(id) ?? []) };
    },
    setShadow: async (accountId, hookId, shadowFunction) =>
      (await db('hooks').where({ account_id: accountId, id: hookId }).update({ shadow_function: shadowFunction })) ===
      1,
    remove: async (accountId, hookId) =>
      (await db('hooks').where({ account_id: accountId, id: hookId }).delete()) === 1,
    listLive: async (accountId) => {
      const found: DbRow[] = await withVersions(db, 'running_version', accountId).where('h.disabled', 0);
      return found.map(readStored);
    },
  };
}
