/** The certificate of a client's key (RFC 7517 §4.7). */

import { createPublicKey, type X509Certificate } from 'node:crypto';
import type { ClientKey } from '../../store/client-metadata.ts';
import { readCertificate } from './client-certificate.ts';
import { longestCertificate } from './public-keys.ts';

/**
 * The first member of `x5c` as it is stored, DER in base64; null if it is no certificate, or one of another key. The
 * others would vouch for it, and nobody asks them.
 */
export function certificateIn(x5c: unknown, key: ClientKey): string | null {
  const first: unknown = Array.isArray(x5c) ? x5c[0] : undefined;
  if (typeof first !== 'string' || first.length > longestCertificate) return null;
  const x509 = readCertificate(Buffer.from(first, 'base64'))?.x509;
  return x509 && isOfKey(x509, key) ? x509.raw.toString('base64') : null;
}

/** Both hold what strangers wrote: a key of a kind that is not known here is no error. */
function isOfKey(x509: X509Certificate, key: ClientKey): boolean {
  try {
    return createPublicKey({ key: { ...key }, format: 'jwk' }).equals(x509.publicKey);
  } catch {
    return false;
  }
}
