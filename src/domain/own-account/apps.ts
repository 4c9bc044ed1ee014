/** A user's consents by app, and how the user withdraws them. */

import type { Services } from '../../services.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { Milliseconds } from '../../store/time.ts';
import type { UserRecord } from '../../store/users.ts';
import type { Account } from '../accounts/account.ts';
import { displayName } from '../clients/represent-metadata.ts';
import { withdrawConsent } from '../endings/recorded.ts';
import { scopesOfConsent } from '../login/consent.ts';
import { inVisit, type Visitor } from './visit.ts';

/** An app that has a consent or tokens of the user. */
interface AllowedApp {
  readonly client: ClientRecord;
  readonly name: string;
  /** Names of what it was allowed, without duplicates. */
  readonly scope: readonly string[];
  /** When the user last allowed it; null if the user was never asked. */
  readonly allowedAt: Milliseconds | null;
  /** Whether it can act for the user now. */
  readonly hasTokens: boolean;
}

/** The apps that a user has allowed, by name. */
export async function listApps(
  { store, clock }: Pick<Services, 'store' | 'clock'>,
  account: Pick<Account, 'id'>,
  { id }: Pick<UserRecord, 'id'>,
): Promise<readonly AllowedApp[]> {
  const consents = await store.authorizations.listConsents(account.id, id);
  const grants = await store.grants.listLive(account.id, id, clock.now());
  const apps: AllowedApp[] = [];
  for (const appId of new Set([...consents, ...grants].map((one) => one.appId))) {
    const client = await store.clients.findByApp(account.id, appId);
    if (!client) continue;
    const consent = consents.find((one) => one.appId === appId);
    const ofApp = grants.filter((one) => one.appId === appId);
    const scope = [...scopesOfConsent(consent?.scope ?? []), ...ofApp.flatMap((grant) => grant.scope)];
    apps.push({
      client,
      name: displayName(client),
      scope: [...new Set(scope)],
      allowedAt: consent?.allowedAt ?? null,
      hasTokens: ofApp.length > 0,
    });
  }
  return apps.sort((one, other) => one.name.localeCompare(other.name, 'en') || one.client.appId - other.client.appId);
}

/**
 * Removes an app's consent, its grants from the user and everything in flight; does nothing if there is none. Throws as
 * `inVisit` does.
 */
export async function removeApp(
  services: Pick<Services, 'store' | 'clock' | 'vault' | 'limits'>,
  account: Account,
  visit: Visitor,
  appId: number,
): Promise<void> {
  await inVisit(services, account, visit, { recent: false }, async (tx, { user: { id } }) => {
    await withdrawConsent(services, tx, account, id, appId, { type: 'user', id });
  });
}
