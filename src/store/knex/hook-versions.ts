/** The versions of a hook: one for each write. */

import type { Knex } from 'knex';
import type { HookDefinition, HookStore, HookVersionRecord, StoredHook } from '../hooks.ts';
import * as rows from './hook-rows.ts';
import type { DbRow } from './shape.ts';
import { together } from './transact.ts';

/** Number of versions kept, besides the one that runs. */
const versionsKept = 10;

export async function addVersion(
  tx: Knex,
  { accountId, id: hookId, version, updatedAt: createdAt }: StoredHook['hook'],
  { authorType, authorId }: Pick<HookVersionRecord, 'authorType' | 'authorId'>,
  definition: HookDefinition,
  packageBuildId: number | null,
): Promise<HookVersionRecord> {
  const one = { ...definition, accountId, hookId, version, packageBuildId, authorType, authorId, createdAt };
  await tx('hook_versions').insert(rows.hookVersions.write(one));
  return one;
}

/** Deletes versions; returns the builds that the account no longer uses. */
export async function release(tx: Knex, accountId: number, versions: () => Knex.QueryBuilder): Promise<number[]> {
  const gone: DbRow[] = await versions().whereNotNull('package_build_id').distinct('package_build_id');
  await versions().delete();
  const ids = gone.map((row) => Number(row['package_build_id']));
  if (ids.length === 0) return [];
  const used: DbRow[] = await tx('hook_versions')
    .where('account_id', accountId)
    .whereIn('package_build_id', ids)
    .distinct('package_build_id');
  const still = new Set(used.map((row) => Number(row['package_build_id'])));
  return ids.filter((id) => !still.has(id));
}

type VersionVerb = 'addVersion' | 'listVersions' | 'findVersion' | 'findByBuild' | 'findVersionBefore';

export function versionVerbs(db: Knex): Pick<HookStore, VersionVerb> {
  const versions = (accountId: number, hookId: number) =>
    db('hook_versions').where({ account_id: accountId, hook_id: hookId });
  return {
    addVersion: ({ accountId, id, runningVersion, updatedAt, ...author }, definition, packageBuildId) =>
      together(db, async (tx) => {
        const { type, disabled } = definition;
        // One statement, so that two simultaneous writes make two consecutive versions.
        const [row] = await tx('hooks')
          .where({ account_id: accountId, id })
          .update({
            ...rows.hooks.write({ type, disabled, updatedAt }),
            running_version: runningVersion,
            version: tx.raw('version + 1'),
          })
          .returning('*');
        if (!row) return null;
        const hook = rows.hooks.read(row);
        const stored = { hook, definition: await addVersion(tx, hook, author, definition, packageBuildId) };
        const old = () =>
          tx('hook_versions')
            .where({ account_id: accountId, hook_id: id })
            .where('version', '<=', hook.version - versionsKept)
            .whereNot('version', runningVersion ?? 0);
        return { stored, released: await release(tx, accountId, old) };
      }),
    listVersions: async (accountId, hookId) => {
      const found: DbRow[] = await versions(accountId, hookId).orderBy('version', 'desc');
      return found.map((row) => rows.hookVersions.read(row));
    },
    findVersion: async (accountId, hookId, version) => {
      const row = await versions(accountId, hookId).where({ version }).first();
      return row ? rows.hookVersions.read(row) : null;
    },
    findByBuild: async (accountId, packageBuildId) => {
      const row = await db('hook_versions')
        .where({ account_id: accountId, package_build_id: packageBuildId })
        .orderBy('version', 'desc')
        .first();
      return row ? rows.hookVersions.read(row) : null;
    },
    findVersionBefore: async (accountId, hookId, version) => {
      const row = await versions(accountId, hookId).where('version', '<', version).orderBy('version', 'desc').first();
      return row ? rows.hookVersions.read(row) : null;
    },
  };
}
