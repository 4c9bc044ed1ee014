/** The header `Client-Cert` (RFC 9440), in which a proxy hands over the certificate that a client proved by TLS. */

import type { IncomingMessage } from 'node:http';
import { type ClientCertificate, readCertificate } from '../domain/clients/client-certificate.ts';
import { Failure } from '../domain/failure.ts';

const name = 'client-cert';

/**
 * The certificate, or null if none was sent. A failure for a header that no certificate is in, and for any that did not
 * come from a proxy that the service trusts: whoever reaches the service directly could write one.
 */
export function readClientCert<Req extends IncomingMessage>(
  req: Req,
  isFromProxy: (req: Req) => boolean,
): ClientCertificate | Failure | null {
  const text = req.headers[name];
  if (text === undefined) return null;
  if (!isFromProxy(req)) return malformed('is accepted from a proxy in TRUST_PROXY only');
  // RFC 8941 §3.3.5: a byte sequence. Repeated headers are joined by a comma, which is not in it.
  const [, encoded] = /^:([A-Za-z0-9+/]+={0,2}):$/.exec(String(text)) ?? [];
  if (encoded === undefined) return malformed('must be one certificate in base64 between two colons (RFC 9440)');
  return readCertificate(Buffer.from(encoded, 'base64')) ?? malformed('holds no certificate (RFC 9440)');
}

function malformed(what: string): Failure {
  return new Failure('request_malformed', { name, message: `the header Client-Cert ${what}` });
}
