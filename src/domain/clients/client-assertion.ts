/** Authentication of a client by a JWT that it signed (RFC 7523 §3, OpenID Connect Core §9, private_key_jwt). */

import { decodeJwt, decodeProtectedHeader, importJWK, type JWTPayload, jwtVerify } from 'jose';
import type { Services } from '../../services.ts';
import type { AssertionAlgorithm, ClientKey, ClientRecord } from '../../store/records.ts';
import type { Account } from '../accounts/account.ts';
import { digestOf } from '../secrets.ts';
import { algorithmsOf, assertionAlgorithms, isSameAlgorithm } from './client-keys.ts';

export const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** Longest time from now to `exp`: for so long a used `jti` is remembered. Some libraries ask for an hour by default. */
const mostSeconds = 3600;
const skewSeconds = 30;
const longestJti = 255;

/** A JWT of another kind is no authentication, whoever signed it (RFC 8725 §3.11). */
const types = ['JWT', 'client-authentication+jwt'];

/** An assertion as the form has it. */
export interface PresentedAssertion {
  readonly type: string | undefined;
  readonly text: string | undefined;
}

/** Who an assertion says it is from, before anything of it is checked. */
export function clientNamedBy(text: string): string | undefined {
  try {
    return decodeJwt(text).sub;
  } catch {
    return undefined;
  }
}

/**
 * Whether the assertion is this client's, for this issuer, in time and not used before; it is used up by that. Never
 * throws for what was sent.
 */
export async function isAuthenticAssertion(
  services: Pick<Services, 'store' | 'clock' | 'clientKeys'>,
  account: Account,
  client: ClientRecord,
  { type, text }: PresentedAssertion,
  tokenEndpoint: string,
): Promise<boolean> {
  if (type !== assertionType || text === undefined) return false;
  const header = readHeader(client, text);
  const keys = header && (await keysOf(services, client, header));
  if (!header || !keys) return false;
  const now = services.clock.now();
  for (const key of keys.filter((one) => fits(one, header))) {
    const payload = await verify(key, header.alg, text, client.clientId, now);
    if (!payload) continue;
    const audience = [payload.aud ?? []].flat();
    // One that is for others as well could be taken there and sent here (OpenID Foundation's advisory of 2025).
    const forUs = audience.length > 0 && audience.every((one) => one === account.baseUrl || one === tokenEndpoint);
    return forUs && useOnce(services, client, payload, now);
  }
  return false;
}

interface Header {
  readonly alg: AssertionAlgorithm;
  readonly kid: string | undefined;
}

function readHeader({ extra }: ClientRecord, text: string): Header | null {
  try {
    const { alg, kid, typ } = decodeProtectedHeader(text);
    const known = assertionAlgorithms.find((one) => one === alg);
    const asRegistered = extra.token_endpoint_auth_signing_alg;
    if (!known || (typ !== undefined && !types.includes(typ))) return null;
    if (asRegistered !== undefined && !isSameAlgorithm(known, asRegistered)) return null;
    return { alg: known, kid: typeof kid === 'string' ? kid : undefined };
  } catch {
    return null;
  }
}

/** A key that is not there yet is looked for anew at the client's address. */
async function keysOf(
  { clientKeys }: Pick<Services, 'clientKeys'>,
  { accountId, extra }: ClientRecord,
  header: Header,
): Promise<readonly ClientKey[] | null> {
  if (extra.jwks) return extra.jwks.keys;
  if (extra.jwks_uri === undefined) return null;
  return clientKeys.read(accountId, extra.jwks_uri, (keys) => keys.some((key) => fits(key, header)));
}

function fits(key: ClientKey, { alg, kid }: Header): boolean {
  return algorithmsOf(key).includes(alg) && (kid === undefined || key.kid === undefined || key.kid === kid);
}

/** The claims, or null for another signature, client or time. What a bad key makes of it is null as well: nothing else is asked here. */
async function verify(
  key: ClientKey,
  alg: AssertionAlgorithm,
  text: string,
  clientId: string,
  now: number,
): Promise<JWTPayload | null> {
  try {
    const { payload } = await jwtVerify(text, await importJWK({ ...key, alg }), {
      algorithms: [alg],
      issuer: clientId,
      subject: clientId,
      requiredClaims: ['aud', 'exp', 'jti'],
      currentDate: new Date(now),
      clockTolerance: skewSeconds,
    });
    return payload;
  } catch {
    return null;
  }
}

async function useOnce(
  { store }: Pick<Services, 'store'>,
  { accountId, appId }: ClientRecord,
  { exp = 0, jti }: JWTPayload,
  now: number,
): Promise<boolean> {
  if (typeof jti !== 'string' || jti === '' || jti.length > longestJti) return false;
  const expiresAt = (exp + skewSeconds) * 1000;
  if (expiresAt > now + (mostSeconds + 2 * skewSeconds) * 1000) return false;
  return store.clients.useAssertion({ accountId, appId, digest: digestOf(jti), expiresAt });
}
