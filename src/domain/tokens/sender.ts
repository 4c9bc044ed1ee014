/** What a client shows with a token request, so that its tokens are good for it alone. */

import type { Services } from '../../services.ts';
import type { ClientRecord } from '../../store/clients.ts';
import type { Account } from '../accounts/account.ts';
import type { ClientCertificate } from '../clients/client-certificate.ts';
import { followsFapi } from '../clients/security-profile.ts';
import { type Proof, proofOf } from '../dpop/check-proof.ts';
import { Failure } from '../failure.ts';
import type { Binding } from './binding.ts';

/** A token request's proof and certificate, as they were sent. */
export interface ShownSender {
  /** The `DPoP` header. */
  readonly proof: string | undefined;
  readonly certificate: ClientCertificate | null;
  /** The addresses that the request may have been sent to, without query. */
  readonly urls: readonly string[];
}

export interface Sender {
  /** What the tokens are bound to; null: nothing, they are bearer tokens. */
  readonly binding: Binding | null;
  /** To be used up where the tokens are given. */
  readonly proof: Proof | null;
}

/**
 * Whom the tokens of a request are for: the key of its proof or the certificate of its connection, never both (RFC 9449
 * §5, RFC 8705 §3). A client that registered for one of them needs it; one that FAPI 2.0 applies to needs either. Throws
 * `request_invalid` without the certificate, and as `proofOf` does.
 */
export async function senderOf(
  services: Pick<Services, 'clock' | 'vault'>,
  account: Account,
  client: ClientRecord,
  { proof: text, certificate, urls }: ShownSender,
): Promise<Sender> {
  if (certificate !== null && mayBindToCertificate(account, client, text)) {
    return { binding: { to: 'certificate', thumbprint: certificate.thumbprint }, proof: null };
  }
  if (client.extra.tls_client_certificate_bound_access_tokens) {
    throw text === undefined ? withoutCertificate() : withProof();
  }
  const proof = await proofOf(services, account, client, text, urls);
  return { binding: proof && { to: 'key', thumbprint: proof.thumbprint }, proof };
}

/** A certificate alone asks for nothing: the client registered for it, or must be bound to something. */
function mayBindToCertificate(account: Account, { extra }: ClientRecord, proof: string | undefined): boolean {
  if (proof !== undefined) return false;
  if (extra.tls_client_certificate_bound_access_tokens) return true;
  return followsFapi(account, { extra }) && !extra.dpop_bound_access_tokens;
}

function withoutCertificate(): Failure {
  return new Failure('request_invalid', {
    message: 'the request came without the client certificate to which the tokens of this client are bound (RFC 8705)',
  });
}

function withProof(): Failure {
  return new Failure('dpop_proof_invalid', {
    message:
      'the tokens of this client are bound to its client certificate (RFC 8705), so it must not send a DPoP proof',
  });
}
