/** The records of a hook's runs (the document's §4.4). */

import type { Services } from '../../services.ts';
import type { HookExecutionRecord } from '../../store/hook-executions.ts';
import type { Account } from '../accounts/account.ts';
import type { ListPage, ListQuery } from '../listing.ts';
import { requireHook } from './read-hooks.ts';
import { executionMilliseconds } from './run-hook.ts';

/**
 * One page of the runs of the last seven days; older ones are never shown, even if not deleted yet. Throws `not_found`.
 */
export async function pageExecutions(
  { store, clock }: Pick<Services, 'store' | 'clock'>,
  account: Pick<Account, 'id'>,
  uuid: string,
  query: ListQuery,
): Promise<ListPage<HookExecutionRecord>> {
  const { hook } = await requireHook(store, account, uuid);
  const oldest = clock.now() - executionMilliseconds + 1;
  const kept = { field: 'created_at', test: 'from', values: [oldest] } as const;
  return store.hookExecutions.page(account.id, hook.id, { ...query, filters: [...query.filters, kept] });
}
