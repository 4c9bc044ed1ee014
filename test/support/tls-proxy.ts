/** A proxy where TLS ends, as an operator has one that asks clients for certificates (RFC 9440). */

import { once } from 'node:events';
import { request } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { newCertificate, pemOf } from './client-certificates.ts';

interface TlsProxy {
  readonly origin: string;
  /** Of the server, for clients that check it. */
  readonly ca: string;
  close(): void;
}

/** Passes requests on to the service, with this Host; takes any certificate whose key the client has, or none. */
export async function startTlsProxy(service: URL, host = service.host): Promise<TlsProxy> {
  const own = pemOf(newCertificate({ dns: ['localhost'] }));
  const server = createServer({ ...own, requestCert: true, rejectUnauthorized: false }, (req, res) => {
    const { raw } = (req.socket as TLSSocket).getPeerCertificate();
    const { 'client-cert': _, ...headers } = req.headers;
    const certified = raw && { 'client-cert': `:${raw.toString('base64')}:` };
    const { hostname, port } = service;
    const onward = request({
      hostname,
      port,
      method: req.method,
      path: req.url,
      headers: { ...headers, host, ...certified },
    });
    onward.once('response', (answer) => answer.pipe(res.writeHead(answer.statusCode ?? 502, answer.headers)));
    onward.once('error', (error) => res.destroy(error));
    req.pipe(onward);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { origin: `https://localhost:${port}`, ca: own.cert, close: () => server.close() };
}
