import type { Services } from '../../services.ts';
import type { ClientRecord, GrantRecord } from '../../store/records.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import { digestOf } from '../secrets.ts';
import { absoluteExpiry, idleExpiry } from './refresh.ts';
import { prepareAccessToken } from './token-set.ts';
import { newRefreshToken } from './token-text.ts';

/** What a user granted a client, by a code or by a password. */
export interface GrantTerms {
  readonly userId: number;
  readonly scope: readonly string[];
  readonly sid: string | null;
  readonly nonce: string | null;
  readonly amr: readonly string[];
  readonly authenticatedAt: number;
}

export type GrantMethod = 'authorization_code' | 'password';

export interface StartedGrant {
  readonly grant: GrantRecord;
  readonly accessToken: string;
  /** Null when the client has no `refresh_token` grant. */
  readonly refreshToken: string | null;
}

/** Stores a new grant with its first tokens; inside the transaction that uses up what it is granted for. */
export async function startGrant(
  services: Pick<Services, 'clock' | 'random' | 'vault'>,
  tx: StoreVerbs,
  account: Account,
  client: ClientRecord,
  terms: GrantTerms,
  method: GrantMethod,
): Promise<StartedGrant> {
  const now = services.clock.now();
  const grant = await tx.grants.create({
    ...terms,
    accountId: account.id,
    appId: client.appId,
    currentDigest: null,
    previousDigest: null,
    successorSalt: null,
    rotatedAt: null,
    generation: 0,
    idleExpiresAt: idleExpiry(account, now),
    absoluteExpiresAt: absoluteExpiry(account, now),
    revokedAt: null,
    revokedBecause: null,
    createdAt: now,
  });
  let refreshToken: string | null = null;
  if (client.grantTypes.includes('refresh_token')) {
    refreshToken = newRefreshToken(services.vault, services.random, account, grant.id);
    await tx.grants.setFirstToken(account.id, grant.id, digestOf(refreshToken));
  }
  const prepared = prepareAccessToken(services);
  const { id } = await tx.grants.addAccessToken({
    ...prepared.row,
    accountId: account.id,
    grantId: grant.id,
    appId: client.appId,
    userId: terms.userId,
    scope: terms.scope,
    revokedAt: null,
  });
  await recordEvent(tx, services, account, {
    action: 'grant.issued',
    actor: { type: 'client', id: client.appId },
    target: { type: 'grant', id: grant.id },
    detail: { method, user_id: terms.userId, app_id: client.appId, scope: terms.scope },
  });
  return { grant, accessToken: prepared.text(id), refreshToken };
}
