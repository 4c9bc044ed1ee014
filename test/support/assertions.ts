/** Clients that sign (private_key_jwt): keys of every kind, and assertions as a client or an attacker makes them. */

import { randomUUID } from 'node:crypto';
import { type CryptoKey, exportJWK, generateKeyPair, type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose';
import type { TestApp } from './app.ts';
import { type RegisteredClient, registerClient } from './sign-in.ts';

export const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

export interface TestKey {
  readonly alg: string;
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly jwk: Readonly<Record<string, unknown>>;
}

export async function testKey(alg: string, kid: string): Promise<TestKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  return { alg, kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, use: 'sig' } };
}

export interface Signing {
  readonly claims?: JWTPayload;
  readonly header?: Partial<JWTHeaderParameters>;
}

/** A good assertion of the client, but for what is said. */
export function sign(
  { account, services }: Pick<TestApp, 'account' | 'services'>,
  clientId: string,
  key: TestKey,
  { claims = {}, header = {} }: Signing = {},
): Promise<string> {
  const now = Math.floor(services.clock.now() / 1000);
  const payload = {
    iss: clientId,
    sub: clientId,
    aud: account.baseUrl,
    iat: now,
    exp: now + 60,
    jti: randomUUID(),
    ...claims,
  };
  return new SignJWT(payload).setProtectedHeader({ alg: key.alg, kid: key.kid, ...header }).sign(key.privateKey);
}

/** The members of a form that show an assertion. */
export function shown(client_assertion: string, client_assertion_type = assertionType): Record<string, string> {
  return { client_assertion, client_assertion_type };
}

/** A client that signs with these keys. */
export function registerSigner(app: TestApp, keys: readonly TestKey[], more: object = {}): Promise<RegisteredClient> {
  const jwks = { keys: keys.map(({ jwk }) => jwk) };
  return registerClient(app, { token_endpoint_auth_method: 'private_key_jwt', jwks, ...more });
}
