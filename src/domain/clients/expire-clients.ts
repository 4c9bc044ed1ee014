/** Removes open-registered clients that nobody uses. */

import type { Services } from '../../services.ts';
import type { OpenClient } from '../../store/clients.ts';
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

function findExpiry({ settings }: Account, { createdAt, lastUsedDay }: OpenClient, now: number): Expiry | null {
  const { openRegistrationUnusedDays: unused, openRegistrationIdleDays: idle } = settings;
  if (lastUsedDay === null) return isOver(createdAt, unused, now) ? { reason: 'unused', days: unused } : null;
  // Counted from the end of that day, so that no client gets less time than promised.
  return isOver(Date.parse(lastUsedDay) + day, idle, now) ? { reason: 'idle', days: idle } : null;
}

function isOver(since: number, days: number, now: number): boolean {
  return days > 0 && since + days * day <= now;
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
