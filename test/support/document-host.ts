/** A host of metadata documents of clients, by https on loopback, and what lets a service of its own fetch them. */

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { fileURLToPath } from 'node:url';
import { freePort } from './process.ts';

const certificate = fileURLToPath(new URL('certificates/certificate.pem', import.meta.url));
const key = new URL('certificates/key.pem', import.meta.url);

export interface DocumentHost {
  /** For the service: the guard of outgoing requests lets it go to this host alone, whose certificate it trusts. */
  readonly env: Readonly<Record<string, string>>;
  /** Addresses that were asked, once for each request. */
  readonly asked: readonly string[];
  /** The address of a client's document; every address has one. */
  addressOf(client: string): string;
  close(): void;
}

export async function openDocumentHost(): Promise<DocumentHost> {
  const asked: string[] = [];
  const port = await freePort();
  const origin = `https://localhost:${port}`;
  const server = createServer({ cert: readFileSync(certificate), key: readFileSync(key) }, (request, response) => {
    const address = `${origin}${request.url}`;
    asked.push(address);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(documentOf(address)));
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return {
    env: { EGRESS: origin, NODE_EXTRA_CA_CERTS: certificate },
    asked,
    addressOf: (client) => `${origin}/${client}.json`,
    close: () => server.close().closeAllConnections(),
  };
}

/** As a program on its user's machine publishes it: it listens at any port (RFC 8252 §7.3). */
function documentOf(address: string) {
  return {
    client_id: address,
    client_name: 'A tool with a document',
    redirect_uris: ['http://127.0.0.1/callback'],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
}
