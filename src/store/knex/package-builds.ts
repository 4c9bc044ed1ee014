import type { Knex } from 'knex';
import type { PackageBuildStore } from '../package-builds.ts';
import { claimDue } from './claim-due.ts';
import * as rows from './package-rows.ts';

export function packageBuildVerbs(db: Knex): PackageBuildStore {
  const one = (accountId: number, id: number) => db('package_builds').where({ account_id: accountId, id });
  return {
    create: async (build) => {
      const row = rows.packageBuilds.write({ ...build, updatedAt: build.createdAt, dueAt: build.createdAt });
      const [created] = await db('package_builds')
        .insert({ ...row, state: 'queued', attempts: 0 })
        .returning('*');
      return rows.packageBuilds.read(created);
    },
    list: async (accountId, ids) => {
      const found = await db('package_builds')
        .where('account_id', accountId)
        .whereIn('id', [...ids]);
      return found.map(rows.packageBuilds.read);
    },
    listReady: async (accountId) => {
      const found = await db('package_builds').where({ account_id: accountId, state: 'ready' }).orderBy('id');
      return found.map(rows.packageBuilds.read);
    },
    countOpen: async (accountId) => {
      const [row] = await db('package_builds')
        .where('account_id', accountId)
        .whereNotNull('due_at')
        .count('* as count');
      return Number(row?.['count']);
    },
    claim: async (now, until, except) => {
      const set = { state: 'running', updated_at: now };
      const [row] = await claimDue(db, 'package_builds', { now, until, limit: 1, except, set });
      return row ? rows.packageBuilds.read(row) : null;
    },
    finish: async ({ accountId, id, attempts }, { state, digest = null, failure = null, dueAt = null }, at) => {
      const changed = await one(accountId, id)
        .where({ state: 'running', attempts })
        .update({ state, digest, failure, due_at: dueAt, updated_at: at });
      return changed === 1;
    },
    remove: async (accountId, id) => (await one(accountId, id).delete()) === 1,
    addBundle: async (digest, script, at) => {
      await db('package_bundles').insert({ digest, script, used_at: at }).onConflict('digest').merge(['used_at']);
    },
    useBundle: async (digest, at) => (await db('package_bundles').where({ digest }).update({ used_at: at })) === 1,
    findBundle: async (digest) => {
      const row = await db('package_bundles').select('script').where({ digest }).first();
      return row ? String(row.script) : null;
    },
  };
}
