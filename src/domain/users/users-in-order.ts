/** Users by ascending id, for programs that read all of them. */

import type { Services } from '../../services.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import type { ListPage, ListQuery } from '../listing.ts';
import { type FullUser, listFullUsers, readFullUser } from './full-user.ts';
import { takeListTurn } from './long-lists.ts';

type ReadServices = Pick<Services, 'store' | 'clock' | 'vault'>;
type Audited = Pick<Account, 'id' | 'record'>;

/** How many are read and written at once: a few milliseconds. */
const pageLength = 200;

interface Range {
  readonly fromId?: number | undefined;
  readonly limit?: number | undefined;
}

/**
 * Yields users with an id of at least `fromId` in parts: at most `limit` of them, or all without a limit. The trail
 * records the number before the caller reads any of them. Throws `unavailable` when too many such lists are under way.
 */
export async function* listUsersFrom(
  services: ReadServices,
  account: Account,
  range: Range,
): AsyncGenerator<readonly FullUser[], void, undefined> {
  const endTurn = await takeListTurn(services, account);
  try {
    yield* partsOf(services, account, range);
  } finally {
    endTurn();
  }
}

async function* partsOf(
  services: ReadServices,
  account: Audited,
  { fromId = 0, limit = Number.POSITIVE_INFINITY }: Range,
): AsyncGenerator<readonly FullUser[], void, undefined> {
  let left = limit;
  const next = async (at: ListQuery['at']): Promise<ListPage<FullUser>> => {
    const page = await listFullUsers(services, account, {
      sort: { field: 'id', descending: false },
      filters: [{ field: 'id', test: 'from', values: [fromId] }],
      limit: Math.min(pageLength, left),
      at,
    });
    left -= page.items.length;
    return page;
  };
  let page = await next({ page: 1 });
  const count = Math.min(page.total ?? 0, limit);
  const event = { action: 'user.listed', target: { type: 'account', id: account.id }, detail: { count } } as const;
  await services.store.transaction((tx) => recordEvent(tx, services, account, event));
  while (page.items.length > 0) {
    yield page.items;
    if (page.after === null || left === 0) return;
    page = await next({ after: page.after });
  }
}

/** One user; the read is recorded in the trail. Throws `not_found`. */
export async function readUserAudited(services: ReadServices, account: Audited, userId: number): Promise<FullUser> {
  const user = await readFullUser(services.store, account, userId);
  const event = { action: 'user.read', target: { type: 'user', id: userId }, detail: {} } as const;
  await services.store.transaction((tx) => recordEvent(tx, services, account, event));
  return user;
}
