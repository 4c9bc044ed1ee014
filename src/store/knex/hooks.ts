import type { Knex } from 'knex';
import type { HookStore, StoredHook } from '../hooks.ts';
import * as rows from './hook-rows.ts';
import { addVersion, release, versionVerbs } from './hook-versions.ts';
import { listPage } from './list.ts';
import type { Listing } from './list-filters.ts';
import { filled } from './list-index.ts';
import type { DbRow } from './shape.ts';
import { together } from './transact.ts';

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

function draftVerbs(db: Knex): Pick<HookStore, 'setShadow' | 'countComparisons'> {
  return {
    setShadow: (accountId, hookId, draft) =>
      together(db, async (tx) => {
        const changed = await tx('hooks')
          .where({ account_id: accountId, id: hookId })
          .update(rows.hooks.write({ shadowFunction: draft?.function ?? null, shadowSetAt: draft?.setAt ?? null }));
        if (changed !== 1) return false;
        await tx('hook_draft_counts').where({ account_id: accountId, hook_id: hookId }).delete();
        if (draft) {
          const none = { account_id: accountId, hook_id: hookId, set_at: draft.setAt, same: 0, different: 0 };
          await tx('hook_draft_counts').insert(none);
        }
        return true;
      }),
    countComparisons: async (accountId, hookId, setAt) => {
      const row = await db('hook_draft_counts')
        .where({ account_id: accountId, hook_id: hookId, set_at: setAt })
        .first('same', 'different');
      return row ? { same: Number(row.same), different: Number(row.different) } : null;
    },
  };
}

export function hookVerbs(db: Knex): HookStore {
  return {
    ...versionVerbs(db),
    ...draftVerbs(db),
    create: ({ authorType, authorId, ...hook }, definition, packageBuildId) =>
      together(db, async (tx) => {
        const { type, disabled } = definition;
        const [row] = await tx('hooks')
          .insert(rows.hooks.write({ ...hook, type, disabled, version: 1 }))
          .returning('*');
        const made = rows.hooks.read(row);
        return {
          hook: made,
          definition: await addVersion(tx, made, { authorType, authorId }, definition, packageBuildId),
        };
      }),
    find: async (accountId, uuid) => {
      const row = await withVersions(db, 'version', accountId).where('h.uuid', uuid).first();
      return row ? readStored(row) : null;
    },
    findUuid: async (accountId, id) => {
      const row = await db('hooks').where({ account_id: accountId, id }).first('uuid');
      return row?.uuid ?? null;
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
    remove: (accountId, hookId) =>
      together(db, async (tx) => {
        const versions = () => tx('hook_versions').where({ account_id: accountId, hook_id: hookId });
        const released = await release(tx, accountId, versions);
        const gone = await tx('hooks').where({ account_id: accountId, id: hookId }).delete();
        return gone === 1 ? released : null;
      }),
    countRuntimes: async () => {
      const found: DbRow[] = await db('hooks as h')
        .join('hook_versions as v', { 'v.account_id': 'h.account_id', 'v.hook_id': 'h.id', 'v.version': 'h.version' })
        .where('h.disabled', 0)
        .groupBy('v.runtime')
        .orderBy('v.runtime')
        .select('v.runtime')
        .count({ total: '*' });
      return found.map((row) => ({ runtime: String(row['runtime']), hooks: Number(row['total']) }));
    },
    listAccounts: async (limit) => {
      const lastRun = db('hook_executions as e')
        .max('e.created_at')
        .whereRaw('e.account_id = h.account_id and e.hook_id = h.id');
      const used = db('hooks as h')
        .where('h.disabled', 0)
        .select('h.account_id', 'h.created_at', { last_run: lastRun });
      const found: DbRow[] = await db
        .from(used.as('used'))
        .select('account_id')
        .groupBy('account_id')
        .orderByRaw('max(coalesce(last_run, created_at)) desc')
        .limit(limit);
      return found.map((row) => Number(row['account_id']));
    },
    listLive: async (accountId) => {
      const newest: DbRow[] = await withVersions(db, 'version', accountId).where('h.disabled', 0);
      const former: DbRow[] = await withVersions(db, 'running_version', accountId).where('h.disabled', 0);
      const running = new Map(former.map(readStored).map(({ hook, definition }) => [hook.id, definition]));
      return newest
        .map(readStored)
        .map(({ hook, definition }) => ({ hook, newest: definition, former: running.get(hook.id) ?? null }));
    },
  };
}
