/** What remains to be found out of a hook once its packages are built: whether its function exports a handler. */

import type { Services } from '../../services.ts';
import type { TryBuilt } from './package-queue.ts';
import { linkedVariables, tryLoading } from './try-loading.ts';

export function tryBuiltWith(services: Pick<Services, 'store' | 'vault' | 'hooks' | 'log'>): TryBuilt {
  const { store, log } = services;
  return async ({ accountId, id }, packages) => {
    const version = await store.hooks.findByBuild(accountId, id);
    const record = await store.accounts.find(accountId);
    // The hook was removed meanwhile.
    if (!version || !record) return null;
    const variables = await linkedVariables(services, { id: accountId }, version);
    const { fault, warning } = await tryLoading(
      services,
      { id: accountId, record },
      { ...version, packages },
      variables,
    );
    // What it threw is its author's, who finds it in the log of its first run.
    if (warning !== null) log.warn('a function with packages could not be loaded', { account: record.subdomain });
    return fault === null ? null : `function ${fault}`;
  };
}
