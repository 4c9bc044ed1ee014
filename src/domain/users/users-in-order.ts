/** Users by ascending id, for programs that read all of them. */

import type { Services } from '../../services.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import type { ListPage, ListQuery } from '../listing.ts';
import { takeListTurn } from '../long-lists.ts';
import { type FullUser, listFullUsers, readFullUser } from './full-user.ts';

type ReadServices = Pick<Services, 'store' | 'clock' | 'vault'>;
type Audited = Pick<Account, 'id' | 'record'>;

/** How many are read and written at once: a few milliseconds. */
const pageLength = 200;

interface Range {
  readonly fromId?: number | undefined;
  readonly limit?: number | undefined;
  /** Told how many users follow, before the first of them. */
  readonly counted?: ((count: number) => void) | undefined;
}

interface UsersInOrder {
  readonly parts: AsyncGenerator<readonly FullUser[], void, undefined>;
  /** Aborted where the list lost its turn, and ends before its last part. */
  readonly lost: AbortSignal;
}

/**
 * Users with `fromId` or a higher id in parts, at most `limit`, all of them without one. Before any of them is read by
 * the caller, the trail tells how many there are. Throws `unavailable` when too many lists of several parts are under
 * way, and between two parts where this one lost its turn.
 */
export function listUsersFrom(services: ReadServices, account: Account, range: Range): UsersInOrder {
  const losing = new AbortController();
  return { parts: partsOf(services, account, range, losing), lost: losing.signal };
}

async function* partsOf(
  services: ReadServices,
  account: Account,
  { fromId = 0, limit = Number.POSITIVE_INFINITY, counted }: Range,
  losing: AbortController,
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
  // One part is counted by reading it; counting what follows takes longer the more users there are.
  const isOnePart = limit <= pageLength;
  let page = await next(isOnePart ? { after: { key: fromId - 1, id: fromId - 1 } } : { page: 1 });
  // A list of one part is sent as a whole, and holds nothing.
  const endTurn =
    page.after !== null && left > 0 ? await takeListTurn(services, account, (reason) => losing.abort(reason)) : null;
  try {
    const count = Math.min(page.total ?? page.items.length, limit);
    const event = { action: 'user.listed', target: { type: 'account', id: account.id }, detail: { count } } as const;
    await services.store.transaction((tx) => recordEvent(tx, services, account, event));
    counted?.(count);
    if (page.items.length > 0) yield page.items;
    while (page.after !== null && left > 0) {
      losing.signal.throwIfAborted();
      page = await next({ after: page.after });
      if (page.items.length > 0) yield page.items;
    }
  } finally {
    endTurn?.();
  }
}

/** One user; the read is recorded in the trail. Throws `not_found`. */
export async function readUserAudited(services: ReadServices, account: Audited, userId: number): Promise<FullUser> {
  const user = await readFullUser(services.store, account, userId);
  const event = { action: 'user.read', target: { type: 'user', id: userId }, detail: {} } as const;
  await services.store.transaction((tx) => recordEvent(tx, services, account, event));
  return user;
}
