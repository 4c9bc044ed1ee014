/** A user's consents, as operators see and withdraw them. */

import type { Services } from '../../services.ts';
import type { ConsentRecord } from '../../store/authorizations.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { Account } from '../accounts/account.ts';
import { withdrawConsent } from '../endings/recorded.ts';
import { Failure } from '../failure.ts';
import type { ListPage, ListQuery } from '../listing.ts';
import { lockUser, requireUserId } from '../users/users.ts';
import { findApps } from './apps.ts';

interface AppConsent {
  readonly consent: ConsentRecord;
  readonly client: ClientRecord;
}

/** Throws `not_found` without the user. */
export async function pageConsents(
  { store }: Pick<Services, 'store'>,
  account: Account,
  userId: number,
  query: ListQuery,
): Promise<ListPage<AppConsent>> {
  await requireUserId(store, account, userId);
  const page = await store.authorizations.pageConsents(account.id, userId, query);
  const apps = await findApps(
    store,
    account,
    page.items.map(({ appId }) => appId),
  );
  const items = page.items.flatMap((consent) => {
    const client = apps.get(consent.appId);
    return client ? [{ consent, client }] : [];
  });
  return { ...page, items };
}

/** Throws `not_found` without the user, and where the app has neither a consent nor a grant. */
export async function withdrawConsentOfUser(
  services: Pick<Services, 'store' | 'clock' | 'vault'>,
  account: Account,
  userId: number,
  appId: number,
): Promise<void> {
  await services.store.transaction(async (tx) => {
    await lockUser(tx, account, userId);
    if (await withdrawConsent(services, tx, account, userId, appId)) return;
    throw new Failure('not_found', { name: 'consent', message: 'the user has allowed this app nothing' });
  });
}

/** Throws `not_found` without the user. */
export async function withdrawConsentsOfUser(
  services: Pick<Services, 'store' | 'clock' | 'vault'>,
  account: Account,
  userId: number,
): Promise<void> {
  await services.store.transaction(async (tx) => {
    await lockUser(tx, account, userId);
    for (const { appId } of await tx.authorizations.listConsents(account.id, userId)) {
      await withdrawConsent(services, tx, account, userId, appId);
    }
  });
}
