/** Proves the possession of a key as a client does (RFC 9449). */

import assert from 'node:assert/strict';
import { hash, randomUUID } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import type { TestApp } from './app.ts';
import type { Answer } from './conforms.ts';
import { clientAuthentication, type RegisteredClient } from './sign-in.ts';

export interface ProofKey {
  readonly alg: string;
  readonly jwk: JWK;
  readonly privateKey: Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];
  readonly thumbprint: string;
}

export async function newProofKey(alg = 'ES256'): Promise<ProofKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = await exportJWK(publicKey);
  return { alg, jwk, privateKey, thumbprint: await calculateJwkThumbprint(jwk) };
}

/** Changes to a proof; a member that is undefined is left out. */
export interface ProofChanges {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
}

function given(members: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** A proof for a request of the account. */
export function proofFor(
  { account, services }: TestApp,
  key: ProofKey,
  method: string,
  path: string,
  { claims = {}, header = {} }: ProofChanges = {},
): Promise<string> {
  const seconds = Math.floor(services.clock.now() / 1000);
  const own = { jti: randomUUID(), htm: method, htu: account.baseUrl + path, iat: seconds };
  return new SignJWT(given({ ...own, ...claims }))
    .setProtectedHeader(given({ typ: 'dpop+jwt', alg: key.alg, jwk: key.jwk, ...header }) as { alg: string })
    .sign(key.privateKey);
}

/** What an access token is to a proof. */
export function athOf(token: string): string {
  return hash('sha256', token, 'base64url');
}

export type Door = '/oauth2/token' | '/oidc/2/token';

/** Asks a token endpoint with a proof; without a nonce of its own it gets one first, as client libraries do. */
export async function askWithProof(
  app: TestApp,
  client: RegisteredClient,
  key: ProofKey,
  form: Readonly<Record<string, string>>,
  {
    door = '/oauth2/token',
    nonce: known,
    ...changes
  }: ProofChanges & { readonly door?: Door; readonly nonce?: string } = {},
): Promise<Answer> {
  const own = clientAuthentication(client);
  const nonce = known ?? (await nonceOf(app, client, key, door));
  const proof = await proofFor(app, key, 'POST', door, { ...changes, claims: { nonce, ...changes.claims } });
  return app.send('POST', door, { headers: { ...own.headers, dpop: proof }, form: { ...own.form, ...form } });
}

/** The nonce that the endpoint asks for. */
export async function nonceOf(
  app: TestApp,
  client: RegisteredClient,
  key: ProofKey,
  door: Door = '/oauth2/token',
): Promise<string> {
  const own = clientAuthentication(client);
  const proof = await proofFor(app, key, 'POST', door);
  const form = { ...own.form, grant_type: 'refresh_token', refresh_token: 'x' };
  const answer = await app.send('POST', door, { headers: { ...own.headers, dpop: proof }, form });
  assert.deepEqual([answer.status, answer.body.error], [400, 'use_dpop_nonce'], answer.text);
  return String(answer.headers['dpop-nonce']);
}

/** Asks for the user's claims with a bound token. */
export async function askUserinfo(
  app: TestApp,
  token: string,
  key: ProofKey,
  nonce: string,
  changes: ProofChanges & { readonly method?: 'GET' | 'POST' } = {},
): Promise<Answer> {
  const { method = 'GET' } = changes;
  const claims = { nonce, ath: athOf(token), ...changes.claims };
  const dpop = await proofFor(app, key, method, '/oauth2/userinfo', { ...changes, claims });
  return app.send(method, '/oauth2/userinfo', { headers: { authorization: `DPoP ${token}`, dpop } });
}
