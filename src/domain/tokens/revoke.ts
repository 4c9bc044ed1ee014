import type { Services } from '../../services.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import { Failure } from '../failure.ts';
import { findAccessToken } from './access-token.ts';
import { findGrantOfRefreshToken } from './introspect.ts';

/** The reason stored with the grant. */
const reasons = { revoked_by_client: 'revoked by the client', code_replayed: 'code replayed' } as const;

/**
 * Revokes a token of the requesting client (RFC 7009 §2.1). A refresh token, current or older, ends the whole grant. An
 * access token ends alone; a JWT is inactive at introspection, but a resource server that only checks the signature
 * accepts it until it expires. An unknown token counts as revoked. Throws `request_invalid` for another client's access
 * token.
 */
export async function revokeToken(
  services: Pick<Services, 'store' | 'clock' | 'vault' | 'signer'>,
  account: Account,
  client: ClientRecord,
  text: string,
): Promise<void> {
  const grant = await findGrantOfRefreshToken(services, account, client, text);
  if (grant) {
    return services.store.transaction((tx) =>
      revokeGrant(services, tx, account, client, grant.id, 'revoked_by_client'),
    );
  }
  const found = await findAccessToken(services, account, text);
  if (!found) return;
  if (found.token.appId !== client.appId) {
    throw new Failure('request_invalid', { name: 'token', message: 'the token was issued to another client' });
  }
  await services.store.transaction(async (tx) => {
    if (!(await tx.grants.revokeAccessToken(account.id, found.token.id, services.clock.now()))) return;
    await recordEvent(tx, services, account, {
      action: 'access_token.revoked',
      actor: { type: 'client', id: client.appId },
      target: { type: 'access_token', id: found.token.id },
      detail: { app_id: client.appId },
    });
  });
}

/**
 * Ends a grant because of its client's action; part of a transaction. A grant that has already ended does not change.
 */
export async function revokeGrant(
  services: Pick<Services, 'clock' | 'vault'>,
  tx: StoreVerbs,
  account: Account,
  client: ClientRecord,
  grantId: number,
  reason: keyof typeof reasons,
): Promise<void> {
  if (!(await tx.grants.revoke(account.id, grantId, services.clock.now(), reasons[reason]))) return;
  await recordEvent(tx, services, account, {
    action: 'grant.revoked',
    actor: { type: 'client', id: client.appId },
    target: { type: 'grant', id: grantId },
    detail: { reason },
  });
}
