/** When apps were last used, how often, and when those of open registration expire for want of use. */

import type { Services } from '../../services.ts';
import type { DetailedClient } from '../../store/clients.ts';
import type { Milliseconds } from '../../store/time.ts';
import type { Account } from '../accounts/account.ts';
import { day } from '../durations.ts';
import { type ListPage, type ListQuery, mapPage } from '../listing.ts';
import { expiryOf } from './expire-clients.ts';

export interface AppUse {
  readonly client: DetailedClient;
  /** In UTC, `2026-11-21`; null when it never was. */
  readonly lastUsedDay: string | null;
  /** Days of the span on which it was used, oldest first. */
  readonly days: readonly { readonly day: string; readonly count: number }[];
  /** Null for an app that does not expire. */
  readonly expiresAt: Milliseconds | null;
  /** It has expired, and housekeeping has not removed it yet. */
  readonly isExpired: boolean;
}

/** Apps as `ClientStore.pageApps` lists them, with their use in the last `days` days, including today. */
export async function pageOfAppUses(
  { store, clock }: Pick<Services, 'store' | 'clock'>,
  account: Account,
  query: ListQuery,
  days: number,
): Promise<ListPage<AppUse>> {
  const now = clock.now();
  const page = await store.clients.pageApps(account.id, query);
  const appIds = page.items.map(({ appId }) => appId);
  const last = await store.counts.lastUses(account.id, appIds);
  const uses = Map.groupBy(await store.counts.listUses(account.id, appIds, firstDay(now, days)), ({ appId }) => appId);
  return mapPage(page, (client) => {
    const lastUsedDay = last.get(client.appId) ?? null;
    const isOpen = client.registeredBy === 'open';
    const expiresAt = isOpen ? (expiryOf(account, { createdAt: client.createdAt, lastUsedDay })?.at ?? null) : null;
    return {
      client,
      lastUsedDay,
      days: uses.get(client.appId) ?? [],
      expiresAt,
      isExpired: expiresAt !== null && expiresAt <= now,
    };
  });
}

/** The first of so many days, of which the last is today; in UTC. */
export function firstDay(now: Milliseconds, days: number): string {
  return new Date(now - (days - 1) * day).toISOString().slice(0, 10);
}
