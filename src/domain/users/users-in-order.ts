/** Users by ascending id, as programs walk through all of them. */

import type { Services } from '../../services.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import { type FullUser, listFullUsers, readFullUser } from './full-user.ts';

type ReadServices = Pick<Services, 'store' | 'clock' | 'vault'>;
type Audited = Pick<Account, 'id' | 'record'>;

/** Of a list without an end, so many are read at once. */
const pageLength = 1000;

/** Users with `fromId` or a higher id, at most `limit`, all of them without one; the trail tells of it. */
export async function listUsersFrom(
  services: ReadServices,
  account: Audited,
  {
    fromId = 0,
    limit = Number.POSITIVE_INFINITY,
  }: { readonly fromId?: number | undefined; readonly limit?: number | undefined },
): Promise<readonly FullUser[]> {
  const users: FullUser[] = [];
  let last: number | null = fromId - 1;
  while (last !== null && users.length < limit) {
    const page: Awaited<ReturnType<typeof listFullUsers>> = await listFullUsers(services, account, {
      sort: { field: 'id', descending: false },
      filters: [],
      limit: Math.min(pageLength, limit - users.length),
      at: { after: { key: last, id: last } },
    });
    users.push(...page.items);
    last = page.after?.id ?? null;
  }
  const target = { type: 'account', id: account.id } as const;
  const event = { action: 'user.listed', target, detail: { count: users.length } } as const;
  await services.store.transaction((tx) => recordEvent(tx, services, account, event));
  return users;
}

/** One user; the trail tells of it. Throws `not_found`. */
export async function readUserAudited(services: ReadServices, account: Audited, userId: number): Promise<FullUser> {
  const user = await readFullUser(services.store, account, userId);
  const event = { action: 'user.read', target: { type: 'user', id: userId }, detail: {} } as const;
  await services.store.transaction((tx) => recordEvent(tx, services, account, event));
  return user;
}
