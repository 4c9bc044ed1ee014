/** The certificate of a client's TLS connection, as a proxy hands it over (RFC 8705, RFC 9440). */

import { hash, X509Certificate } from 'node:crypto';

/** A certificate whose key the client has: TLS proved it to the proxy. Who vouches for it, the proxy alone knows. */
export interface ClientCertificate {
  readonly x509: X509Certificate;
  /** SHA-256 of its DER in base64url (RFC 8705 §3.1, `x5t#S256`). */
  readonly thumbprint: string;
}

/** The certificate with this DER, and nothing else in it; null for other bytes. */
export function readCertificate(der: Buffer): ClientCertificate | null {
  const x509 = parse(der);
  // Node reads PEM as well, and what follows the certificate is left unread.
  if (!x509?.raw.equals(der)) return null;
  return { x509, thumbprint: hash('sha256', der, 'base64url') };
}

function parse(der: Buffer): X509Certificate | null {
  try {
    return new X509Certificate(der);
  } catch {
    return null;
  }
}
