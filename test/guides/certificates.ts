/** The page "Clients with certificates", through a proxy that is configured as the page says. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { hash, X509Certificate } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Answer, type Asked, ask, type Ports } from './proxies.ts';

export const authority = 'clients-ca.pem';
const subject = 'orders.example.com';

interface Pair {
  readonly cert: string;
  readonly key: string;
}

export interface Clients {
  /** From the authority that the proxy knows. */
  readonly own: Pair;
  readonly next: Pair;
  /** The same name, signed by itself. */
  readonly forged: Pair;
}

/** A certificate authority of clients, and certificates of it and of nobody. */
export function makeClients(folder: string): Clients {
  const at = (name: string) => join(folder, name);
  const openssl = (...words: string[]) => execFileSync('openssl', words, { stdio: 'ignore' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  openssl('req', '-x509', ...key, '-days', '2', '-subj', '/CN=CA', '-out', at(authority), '-keyout', at('ca.key'));
  writeFileSync(at('names.cnf'), `subjectAltName=DNS:${subject}`);
  const make = (name: string, signing: readonly string[]): Pair => {
    const named = ['-subj', '/C=GB/O=Orders, Ltd/CN=orders', '-keyout', at(`${name}.key`)];
    openssl('req', ...key, ...named, '-out', at(`${name}.csr`));
    const issued = ['-days', '2', '-extfile', at('names.cnf'), '-out', at(`${name}.pem`)];
    openssl('x509', '-req', '-in', at(`${name}.csr`), ...issued, ...signing);
    return { cert: readFileSync(at(`${name}.pem`), 'utf8'), key: readFileSync(at(`${name}.key`), 'utf8') };
  };
  const byAuthority = ['-CA', at(authority), '-CAkey', at('ca.key'), '-CAcreateserial'];
  return {
    own: make('own', byAuthority),
    next: make('next', byAuthority),
    forged: make('forged', ['-signkey', at('forged.key')]),
  };
}

interface Service {
  readonly host: string;
  readonly ports: Ports;
  readonly certificate: string;
  /** `client_id:client_secret` of an API credential. */
  readonly credential: string;
}

/** Registers a client and gets its tokens, with and without what the proxy lets through. `accepts`: `mutual_tls`. */
export async function useCertificates(
  { host, ports, certificate, credential }: Service,
  { own, next, forged }: Clients,
  accepts: 'verified' | 'any',
): Promise<void> {
  const send = (path: string, asked: Asked, port = ports.mutualTls) => ask(path, host, port, certificate, asked);
  const members = accepts === 'verified' ? { tls_client_auth_san_dns: subject } : { jwks: { keys: [jwkOf(own)] } };
  const metadata = {
    token_endpoint_auth_method: accepts === 'verified' ? 'tls_client_auth' : 'self_signed_tls_client_auth',
    tls_client_certificate_bound_access_tokens: true,
    grant_types: ['client_credentials'],
    ...members,
  };
  const basic = { authorization: `Basic ${Buffer.from(credential).toString('base64')}` };
  const form = { grant_type: 'client_credentials' };
  const pair = await send('/auth/oauth2/v2/token', { form, headers: basic }, ports.https);
  const headers = { authorization: `Bearer ${JSON.parse(pair.text).access_token}` };
  const registered = await send('/oauth2/register', { json: metadata, headers }, ports.https);
  assert.equal(registered.status, 201, registered.text);
  const client = { client_id: String(JSON.parse(registered.text).client_id) };
  const token = (asked: Asked = {}, port?: number) =>
    send('/oauth2/token', { ...asked, form: { ...form, ...client } }, port);
  const boundTo = async (answer: Answer): Promise<string> => {
    assert.equal(answer.status, 200, answer.text);
    const introspected = { ...client, token: String(JSON.parse(answer.text).access_token) };
    const seen = await send('/oauth2/introspect', { form: introspected, tls: own });
    return JSON.parse(seen.text).cnf['x5t#S256'];
  };
  assert.equal(await boundTo(await token({ tls: own })), thumbprintOf(own));
  // What a client writes into the header itself is replaced where certificates are asked for, and removed elsewhere.
  const planted = { headers: { 'client-cert': `:${derOf(own).toString('base64')}:` } };
  assertRefused(await token(planted, ports.https));
  const replaced = await token({ ...planted, tls: next });
  if (accepts === 'verified') assert.equal(await boundTo(replaced), thumbprintOf(next));
  else assertRefused(replaced);
  // The proxy ends these connections, or answers for itself; else the service refuses the client.
  for (const tls of [forged, undefined]) {
    const answer = await token({ ...planted, tls }).catch(() => null);
    assert.notEqual(answer?.status, 200, answer?.text);
    if (accepts === 'any' && answer) assertRefused(answer);
  }
}

function assertRefused(answer: Answer): void {
  assert.deepEqual([answer.status, JSON.parse(answer.text).error], [400, 'invalid_client']);
}

function derOf({ cert }: Pair): Buffer {
  return new X509Certificate(cert).raw;
}

function thumbprintOf(pair: Pair): string {
  return hash('sha256', derOf(pair), 'base64url');
}

function jwkOf({ cert }: Pair): object {
  const { publicKey, raw } = new X509Certificate(cert);
  return { ...publicKey.export({ format: 'jwk' }), x5c: [raw.toString('base64')] };
}
