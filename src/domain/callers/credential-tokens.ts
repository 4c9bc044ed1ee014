import type { Services } from '../../services.ts';
import type { CredentialRecord, CredentialToken } from '../../store/callers.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Milliseconds } from '../../store/time.ts';
import type { Account } from '../accounts/account.ts';
import { recordEvent } from '../audit/record.ts';
import { Failure } from '../failure.ts';
import { digestOf, matchesDigest, newSecret, readRowId, secretPrefixes } from '../secrets.ts';
import type { Caller } from './caller.ts';

const lifeSeconds = 36_000;

interface Reading {
  readonly store: Pick<StoreVerbs, 'callers'>;
}

interface IssuedCredentialToken {
  readonly accessToken: string;
  readonly expiresInSeconds: number;
  readonly createdAt: Milliseconds;
}

/** A new access token for a credential: `ct_<id, base 36>_<43 random characters>`; the digest is over the last part. */
export async function issueCredentialToken(
  services: Pick<Services, 'store' | 'clock' | 'random' | 'counts'>,
  account: Pick<Account, 'id'>,
  credential: Pick<CredentialRecord, 'id'>,
): Promise<IssuedCredentialToken> {
  const createdAt = services.clock.now();
  const secret = newSecret(services.random, '');
  const token = await services.store.callers.addToken({
    accountId: account.id,
    credentialId: credential.id,
    digest: digestOf(secret),
    createdAt,
    expiresAt: createdAt + lifeSeconds * 1000,
    revokedAt: null,
  });
  services.counts.add(account.id, 'credential_token', credential.id);
  const accessToken = `${secretPrefixes.credentialToken}${token.id.toString(36)}_${secret}`;
  return { accessToken, expiresInSeconds: lifeSeconds, createdAt };
}

/** The caller who presents a bearer token; throws `caller_unauthenticated` when it is unknown, expired or revoked. */
export async function authenticateBearer(
  services: Pick<Services, 'clock'> & Reading,
  account: Pick<Account, 'id'>,
  accessToken: string,
): Promise<Caller> {
  const found = await findToken(services, account, accessToken);
  if (!found) throw refused('unknown token');
  const { token, credential } = found;
  if (token.revokedAt !== null) throw refused('revoked token');
  if (credential.revokedAt !== null) throw refused('revoked credential');
  if (token.expiresAt <= services.clock.now()) throw refused('expired token');
  return {
    accountId: account.id,
    actor: { type: 'credential', id: credential.id },
    limitedBy: { credential: credential.clientId },
    scopes: credential.scopes,
  };
}

/** Revokes a token of this credential; any other text is ignored. */
export async function revokeCredentialToken(
  services: Pick<Services, 'store' | 'clock' | 'vault'>,
  account: Pick<Account, 'id' | 'record'>,
  credential: Pick<CredentialRecord, 'id'>,
  accessToken: string,
): Promise<void> {
  const found = await findToken(services, account, accessToken);
  if (found?.credential.id !== credential.id) return;
  await services.store.transaction(async (tx) => {
    if (!(await tx.callers.revokeToken(account.id, found.token.id, services.clock.now()))) return;
    await recordEvent(tx, services, account, {
      action: 'credential_token.revoked',
      actor: { type: 'credential', id: credential.id },
      target: { type: 'credential_token', id: found.token.id },
      detail: { credential_id: credential.id },
    });
  });
}

async function findToken(
  services: Reading,
  account: Pick<Account, 'id'>,
  accessToken: string,
): Promise<CredentialToken | null> {
  const [, text36, secret] = /^ct_([1-9a-z][0-9a-z]{0,10})_([\w-]{43})$/.exec(accessToken) ?? [];
  const tokenId = readRowId(text36);
  if (tokenId === null || secret === undefined) return null;
  const found = await services.store.callers.findToken(account.id, tokenId);
  // Compared even if there is no row, so that the time does not differ.
  const matches = matchesDigest(secret, found?.token.digest ?? null);
  return found && matches ? found : null;
}

function refused(reason: string): Failure {
  return new Failure('caller_unauthenticated', { reason, challenged: true });
}
