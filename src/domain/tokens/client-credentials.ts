import type { Services } from '../../services.ts';
import type { LinkedServer } from '../../store/authorization-servers.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { Account } from '../accounts/account.ts';
import { isConfidential } from '../clients/client-methods.ts';
import { requireGrantType } from '../clients/grant-types.ts';
import { useProof } from '../dpop/check-proof.ts';
import { Failure } from '../failure.ts';
import { type AskedAudience, chooseServer, linkedServersOf } from './audience.ts';
import { scopesOf } from './scopes.ts';
import type { Sender } from './sender.ts';
import { prepareAccessToken, type TokenSet, tokenTypeOf } from './token-set.ts';

/**
 * An access token for the client itself (RFC 6749 §4.4): only for clients with a secret, and without a refresh token
 * (§4.4.3). Its scopes belong to an API authorization server: the requested ones that the link allows, or all of them.
 * Throws `client_not_authorized`, `target_invalid`, and `scope_invalid` when none of the requested scopes is allowed.
 */
export async function grantToClient(
  services: Pick<Services, 'store' | 'clock' | 'random' | 'signer' | 'counts' | 'vault'>,
  account: Account,
  client: ClientRecord,
  asked: AskedAudience,
  { binding, proof }: Sender,
): Promise<TokenSet> {
  requireGrantType(client, 'client_credentials');
  if (!isConfidential(client)) throw new Failure('client_not_authorized');
  const linked = chooseServer(await linkedServersOf(services, client), asked);
  const scope = readScope(linked, asked.scope ?? []);
  const prepared = prepareAccessToken(services, account, client, linked, binding);
  await useProof(services.store, proof);
  const { id } = await services.store.grants.addAccessToken({
    ...prepared.row,
    accountId: account.id,
    grantId: null,
    appId: client.appId,
    userId: null,
    scope,
    revokedAt: null,
  });
  services.counts.add(account.id, 'client_credentials', client.appId);
  return {
    accessToken: await prepared.text(id, { scope, user: null }),
    tokenType: tokenTypeOf(binding),
    expiresInSeconds: prepared.expiresInSeconds,
    scope,
    idToken: null,
    refreshToken: null,
  };
}

/** The service's own scopes are about users: without a server a client has no scopes. */
function readScope(linked: LinkedServer | null, asked: readonly string[]): readonly string[] {
  const allowed = linked ? scopesOf([linked]) : [];
  if (asked.length === 0) return allowed;
  const scope = allowed.filter((value) => asked.includes(value));
  if (scope.length === 0) throw new Failure('scope_invalid', { name: 'scope', reason: 'no scope of a linked API' });
  return scope;
}
