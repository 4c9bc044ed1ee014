/** Writes of a hook that meet another one. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { promoteDraft } from '../../../src/domain/hooks/drafts.ts';
import { rollBackHook, switchHook } from '../../../src/domain/hooks/hooks.ts';
import type { Store } from '../../../src/store/store.ts';
import type { TestApp } from '../../support/app.ts';
import { encoded, least } from './hooks.ts';
import { managing } from './managing.ts';

/**
 * The store, in whose transactions another write comes as late as it can: before the hook is locked, or after a read.
 */
function meeting(store: Store, write: () => Promise<unknown>): Store {
  let writing: Promise<unknown> | undefined;
  const once = () => {
    writing ??= write();
    return writing;
  };
  const transaction: Store['transaction'] = (work) =>
    store.transaction((tx) => {
      let isLocked = false;
      const resources: typeof tx.resources = {
        findLocked: async (...given) => {
          await once();
          isLocked = true;
          return tx.resources.findLocked(...given);
        },
      };
      const find: typeof tx.hooks.find = async (...given) => {
        const found = await tx.hooks.find(...given);
        if (!isLocked) await once();
        return found;
      };
      return work({ ...tx, resources, hooks: { ...tx.hooks, find } });
    });
  return { ...store, transaction };
}

export function racingHooks(app: () => TestApp): void {
  const draft = encoded('exports.handler = async () => null;');

  it('a promotion, a rollback and a switch keep what another write made of the hook meanwhile', async () => {
    const one = await app().another();
    const { services, account } = one;
    const { store } = services;
    // SQLite has one writer at a time.
    const over = (write: () => Promise<unknown>) =>
      store.kind === 'sqlite' ? write().then(() => services) : { ...services, store: meeting(store, write) };
    const api = await managing(one);
    const { id } = await api.done(201, 'POST', '/hooks', least);
    const put = (retries: number) => () => api.done(200, 'PUT', `/hooks/${id}`, { ...least, retries });
    await api.done(200, 'PUT', `/hooks/${id}/draft`, { function: draft });
    const promoted = await promoteDraft(await over(put(2)), account, id);
    assert.deepEqual([promoted.hook.version, promoted.definition.retries], [3, 2]);
    const switched = await switchHook(await over(put(3)), account, id, true);
    assert.deepEqual([switched.hook.version, switched.definition.retries], [5, 3]);
    const rolled = await rollBackHook(await over(put(4)), account, id);
    assert.deepEqual([rolled.hook.version, rolled.definition.disabled], [7, true], 'the other write alone is undone');
  });
}
