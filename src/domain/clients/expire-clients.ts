/** Removes open-registered clients that nobody uses. */

import type { Services } from '../../services.ts';
import type { OpenClient } from '../../store/clients.ts';
import type { Milliseconds } from '../../store/time.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import { day } from '../durations.ts';

export type Swept = Pick<OpenClient, 'accountId' | 'appId'>;

/**
 * Checks the next `limit` open-registered clients and removes those that have expired by their account's settings. A
 * removed client gets `invalid_client`, so that it registers again. Use is recorded by the day, and what another
 * process counted in the last minute is not known yet. Returns how many were removed and where to continue (null: at
 * the beginning).
 */
export async function expireClients(
  services: Pick<Services, 'store' | 'clock' | 'vault'>,
  accounts: readonly Account[],
  after: Swept | null,
  limit: number,
): Promise<{ readonly removed: number; readonly reached: Swept | null }> {
  const clients = await services.store.clients.sweepOpen(after, limit);
  const byId = new Map(accounts.map((account) => [account.id, account]));
  let removed = 0;
  for (const client of clients) {
    const account = byId.get(client.accountId);
    const expired = account && findExpiry(account, client, services.clock.now());
    if (expired && (await remove(services, account, client.appId, expired))) removed += 1;
  }
  return { removed, reached: clients.length < limit ? null : (clients.at(-1) ?? null) };
}

interface Expiry {
  readonly reason: 'unused' | 'idle';
  readonly days: number;
}

/** When an open-registered client expires if nobody uses it; null: never. */
export function expiryOf(
  { settings }: Pick<Account, 'settings'>,
  { createdAt, lastUsedDay }: Pick<OpenClient, 'createdAt' | 'lastUsedDay'>,
): (Expiry & { readonly at: Milliseconds }) | null {
  const { openRegistrationUnusedDays: unused, openRegistrationIdleDays: idle } = settings;
  // Counted from the end of that day, so that no client gets less time than promised.
  const [reason, since, days] =
    lastUsedDay === null
      ? (['unused', createdAt, unused] as const)
      : (['idle', Date.parse(lastUsedDay) + day, idle] as const);
  return days > 0 ? { reason, days, at: since + days * day } : null;
}

function findExpiry(account: Account, client: OpenClient, now: Milliseconds): Expiry | null {
  const expiry = expiryOf(account, client);
  return expiry && expiry.at <= now ? { reason: expiry.reason, days: expiry.days } : null;
}

function remove(
  services: Pick<Services, 'store' | 'clock' | 'vault'>,
  account: Account,
  appId: number,
  detail: Expiry,
): Promise<boolean> {
  return services.store.transaction(async (tx) => {
    const client = await tx.clients.findByApp(account.id, appId);
    if (!client || !(await tx.clients.remove(account.id, appId, services.clock.now()))) return false;
    const target = { type: 'app', id: appId } as const;
    await recordEvent(tx, services, account, {
      action: 'app.expired',
      target,
      detail: { ...detail, client_id: client.clientId },
    });
    return true;
  });
}
