import type { Services } from '../../services.ts';
import type { Account } from '../accounts/account.ts';
import type { ClientCertificate } from '../clients/client-certificate.ts';
import { signingAlgorithmFor } from '../clients/security-profile.ts';
import { type ProvenRequest, readProof, useProof } from '../dpop/check-proof.ts';
import { Failure } from '../failure.ts';
import { type FoundAccessToken, findAccessToken, isActive } from './access-token.ts';
import { userClaims } from './claims.ts';

/** How an access token was presented: the scheme of the Authorization header, and what shows whose it is. */
export interface PresentedToken extends Pick<ProvenRequest, 'method' | 'urls'> {
  /** Null if none was sent. */
  readonly accessToken: string | null;
  readonly scheme: 'Bearer' | 'DPoP';
  /** The `DPoP` header. */
  readonly proof: string | undefined;
  /** The certificate of the connection. */
  readonly certificate: ClientCertificate | null;
}

/**
 * Claims about the user of an access token (OpenID Connect Core §5.3), as a signed JWT if the client registered an
 * algorithm for it. Throws `access_token_invalid`, `scope_insufficient` without `openid`, and for a token that is bound
 * to a key `dpop_proof_invalid` and `dpop_nonce_required`.
 */
export async function readUserinfo(
  services: Pick<Services, 'store' | 'clock' | 'signer' | 'vault'>,
  account: Account,
  presented: PresentedToken,
): Promise<Record<string, unknown> | string> {
  const { accessToken } = presented;
  const found = accessToken === null ? null : await findAccessToken(services, account, accessToken);
  if (!found || !isActive(found, services.clock.now())) throw invalid(presented);
  await requireSender(services, account, found, presented);
  if (!found.user || !found.scope.includes('openid')) {
    throw new Failure('scope_insufficient', { scopes: ['openid'] });
  }
  const { store, signer } = services;
  const [asked, client] = await Promise.all([
    found.grant && store.grants.findClaims(account.id, found.grant.id),
    store.clients.find(account.id, found.client.clientId),
  ]);
  const telling = { scope: found.scope, asked: asked ?? undefined };
  const claims = await userClaims(services, account, found.client, found.user, telling);
  const registered = client?.extra.userinfo_signed_response_alg;
  if (!client || registered === undefined) return claims;
  const alg = signingAlgorithmFor(account, client, registered);
  // §5.3.2: with the issuer and the client. Without `auth_time` it cannot be taken for an id token.
  return signer.sign(account, alg, 'JWT', { ...claims, iss: account.baseUrl, aud: found.client.clientId });
}

function invalid({ accessToken, scheme }: PresentedToken): Failure {
  return new Failure('access_token_invalid', {
    challenged: accessToken !== null,
    ...(scheme === 'DPoP' && { scheme }),
  });
}

/** Whether the token comes from the one that it is bound to, as its kind of binding shows it. */
async function requireSender(
  services: Pick<Services, 'store' | 'clock' | 'vault'>,
  account: Account,
  { binding, token, client: { clientId } }: FoundAccessToken,
  presented: PresentedToken,
): Promise<void> {
  const { scheme, certificate, proof: text = '' } = presented;
  // RFC 9449 §7.1: a token that is bound to a key cannot be used as a bearer token, nor a bearer token as a bound one.
  if ((binding?.to === 'key') !== (scheme === 'DPoP')) throw invalid(presented);
  // RFC 8705 §3.
  if (binding?.to === 'certificate' && binding.thumbprint !== certificate?.thumbprint) throw invalid(presented);
  if (binding?.to !== 'key') return;
  // A key of RSA that was accepted at the token endpoint can sign by an algorithm that the client's profile excludes.
  const client = (await services.store.clients.find(account.id, clientId)) ?? { appId: token.appId, extra: {} };
  const proof = await readProof(services, account, client, { ...presented, proof: text });
  if (proof.thumbprint !== binding.thumbprint)
    throw new Failure('dpop_proof_invalid', { message: 'the token is bound to another key' });
  await useProof(services.store, proof);
}
