/** A user's grants, as operators see and revoke them. */

import type { Services } from '../../services.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { GrantRecord } from '../../store/grants.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import { isConfidential } from '../clients/client-methods.ts';
import { endInFlight } from '../endings/in-flight.ts';
import { Failure } from '../failure.ts';
import type { ListPage, ListQuery } from '../listing.ts';
import { lockUser, requireUserId } from '../users/users.ts';
import { findApps } from './apps.ts';

/** The reason stored with the grant. */
const because = 'revoked by an operator';

interface AppGrant {
  readonly grant: GrantRecord;
  readonly client: ClientRecord;
}

/** Live grants; throws `not_found` without the user. */
export async function pageGrants(
  { store, clock }: Pick<Services, 'store' | 'clock'>,
  account: Account,
  userId: number,
  query: ListQuery,
): Promise<ListPage<AppGrant>> {
  await requireUserId(store, account, userId);
  const page = await store.grants.pageLive(account.id, userId, clock.now(), query);
  const apps = await findApps(
    store,
    account,
    page.items.map(({ appId }) => appId),
  );
  const items = page.items.flatMap((grant) => {
    const client = apps.get(grant.appId);
    return client ? [{ grant, client }] : [];
  });
  return { ...page, items };
}

/**
 * What has to be shown with the tokens of a client, as far as its registration says: a token of a public client says by
 * itself what it is bound to.
 */
export function senderConstraintOf(
  client: ClientRecord,
): 'dpop' | 'certificate' | 'client_authentication' | 'per_token' {
  if (client.extra.dpop_bound_access_tokens) return 'dpop';
  if (client.extra.tls_client_certificate_bound_access_tokens) return 'certificate';
  return isConfidential(client) ? 'client_authentication' : 'per_token';
}

/** Throws `not_found` without the user, and for a grant that is not live. */
export async function revokeGrantOfUser(
  services: Pick<Services, 'store' | 'clock' | 'vault'>,
  account: Account,
  userId: number,
  grantId: number,
): Promise<void> {
  await services.store.transaction(async (tx) => {
    await lockUser(tx, account, userId);
    const now = services.clock.now();
    const grant = await tx.grants.findLive(account.id, userId, grantId, now);
    if (!grant || !(await tx.grants.revoke(account.id, grantId, now, because))) {
      throw new Failure('not_found', { name: 'grant', message: 'the user has no such grant' });
    }
    await recordEvent(tx, services, account, {
      action: 'grant.revoked',
      target: { type: 'grant', id: grantId },
      detail: { reason: 'revoked_by_operator' },
    });
  });
}

/** Ends what would become a grant, too; throws `not_found` without the user. */
export async function revokeGrantsOfUser(
  services: Pick<Services, 'store' | 'clock' | 'vault'>,
  account: Account,
  userId: number,
): Promise<void> {
  await services.store.transaction(async (tx) => {
    await lockUser(tx, account, userId);
    const revoked = await tx.grants.revokeOfUser(account.id, userId, services.clock.now(), because);
    await endInFlight(tx, account, { userId });
    if (revoked === 0) return;
    await recordEvent(tx, services, account, {
      action: 'grant.revoked',
      target: { type: 'user', id: userId },
      detail: { reason: 'revoked_by_operator', grants_revoked: revoked },
    });
  });
}
