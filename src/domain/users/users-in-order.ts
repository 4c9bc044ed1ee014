/** Users by ascending id, as programs walk through all of them. */

import type { Services } from '../../services.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import type { ListPage } from '../listing.ts';
import { type FullUser, listFullUsers, readFullUser } from './full-user.ts';

type ReadServices = Pick<Services, 'store' | 'clock' | 'vault'>;
type Audited = Pick<Account, 'id' | 'record'>;

/** So many are read at once, and written at once: a few milliseconds. */
const pageLength = 200;

/**
 * Users with `fromId` or a higher id in parts, at most `limit`, all of them without one. At the end the trail tells how
 * many were read; also when they are not asked for to the last.
 */
export async function* listUsersFrom(
  services: ReadServices,
  account: Audited,
  {
    fromId = 0,
    limit = Number.POSITIVE_INFINITY,
  }: { readonly fromId?: number | undefined; readonly limit?: number | undefined },
): AsyncGenerator<readonly FullUser[], void, undefined> {
  let count = 0;
  let last: number | null = fromId - 1;
  try {
    while (last !== null && count < limit) {
      const page: ListPage<FullUser> = await listFullUsers(services, account, {
        sort: { field: 'id', descending: false },
        filters: [],
        limit: Math.min(pageLength, limit - count),
        at: { after: { key: last, id: last } },
      });
      count += page.items.length;
      last = page.after?.id ?? null;
      if (page.items.length > 0) yield page.items;
    }
  } finally {
    const target = { type: 'account', id: account.id } as const;
    const event = { action: 'user.listed', target, detail: { count } } as const;
    await services.store.transaction((tx) => recordEvent(tx, services, account, event));
  }
}

/** One user; the trail tells of it. Throws `not_found`. */
export async function readUserAudited(services: ReadServices, account: Audited, userId: number): Promise<FullUser> {
  const user = await readFullUser(services.store, account, userId);
  const event = { action: 'user.read', target: { type: 'user', id: userId }, detail: {} } as const;
  await services.store.transaction((tx) => recordEvent(tx, services, account, event));
  return user;
}
