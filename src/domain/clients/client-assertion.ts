/** Authentication of a client by a JWT that it signed (RFC 7523 §3, OpenID Connect Core §9, private_key_jwt). */

import { decodeJwt, type JWTPayload } from 'jose';
import type { Services } from '../../services.ts';
import type { AssertionRecord, ClientRecord } from '../../store/clients.ts';
import type { Account } from '../accounts/account.ts';
import type { NetworkSource } from '../network-source.ts';
import { digestOf } from '../secrets.ts';
import { readClientJwt } from './client-jwt.ts';
import { forgetClockFault, noteAssertion } from './clock-faults.ts';
import { isUnstored } from './document-client.ts';
import { clientAlgorithms, followsFapi } from './security-profile.ts';

const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** The maximum time from now to `exp`, for which a used `jti` is remembered. Some libraries use an hour by default. */
const mostSeconds = 3600;
const skewSeconds = 30;
const longestJti = 255;

/** A JWT of another kind is not accepted, even if its signature is valid (RFC 8725 §3.11). */
const types = ['jwt', 'client-authentication+jwt'];

/** An assertion as sent in the form. */
export interface PresentedAssertion {
  readonly type: string | undefined;
  readonly text: string | undefined;
  /** The addresses that it may be for. */
  readonly endpoints: readonly string[];
}

/** The client that an assertion names, before anything in it is verified. */
export function clientNamedBy(text: string): string | undefined {
  try {
    const { sub }: { readonly sub?: unknown } = decodeJwt(text);
    return typeof sub === 'string' ? sub : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Why the assertion does not authenticate this client, in words for the log: it must be for this issuer or one of its
 * endpoints, valid now and not used before. Null if it does; it is used up then. Throws `unavailable` when the client's
 * keys cannot be fetched now, and `rate_limited` when open-registered clients sent too many from this source.
 */
export async function assertionFault(
  services: Pick<Services, 'store' | 'clock' | 'clientKeys' | 'limits'>,
  account: Account,
  client: ClientRecord,
  { type, text, endpoints }: PresentedAssertion,
  source: NetworkSource,
): Promise<string | null> {
  if (type !== assertionType || text === undefined)
    return 'client_assertion_type is wrong, or one of the two is missing';
  const now = services.clock.now();
  const read = await readClientJwt(services, client, text, {
    types,
    algorithms: clientAlgorithms(account, client),
    algorithm: client.extra.token_endpoint_auth_signing_alg,
    claims: {
      issuer: client.clientId,
      subject: client.clientId,
      requiredClaims: ['aud', 'exp', 'jti'],
      currentDate: new Date(now),
      clockTolerance: skewSeconds,
    },
  });
  if ('fault' in read) {
    if (/^(?:exp|nbf|iat) /.test(read.fault)) noteAssertion(services, account, client, text);
    return `the assertion: ${read.fault}`;
  }
  const { payload } = read;
  const audience = [payload.aud ?? []].flat();
  // An assertion with other audiences could be stolen there and sent here (OpenID Foundation's advisory of 2025).
  const forUs = audience.length > 0 && audience.every((one) => one === account.baseUrl || endpoints.includes(one));
  // FAPI 2.0 §5.3.2.1: the issuer alone, as a string.
  if (followsFapi(account, client) && payload.aud !== account.baseUrl) return 'the assertion: aud is not this issuer';
  if (!forUs) return 'the assertion: aud is not this issuer or its endpoint, or names others as well';
  const use = useOf(client, payload, now);
  if (use === null) return 'the assertion: exp is too far ahead, or jti is not a text of 1 to 255 characters';
  // All that it begins is sealed into what the client is answered: there is no row to keep it with, and nothing to lose.
  if (isUnstored(client)) return null;
  // Anyone can register such a client and sign any number of assertions, and each is a row until it expires.
  if (client.registeredBy === 'open') await services.limits.take(account, 'public-client', { source });
  forgetClockFault(services, account, client);
  return (await services.store.clients.useAssertion(use)) ? null : 'the assertion: jti has been used before';
}

/** What is stored of an assertion until it expires; null if it lives too long or has no usable `jti`. */
function useOf({ accountId, appId }: ClientRecord, { exp = 0, jti }: JWTPayload, now: number): AssertionRecord | null {
  if (typeof jti !== 'string' || jti === '' || jti.length > longestJti) return null;
  const expiresAt = (exp + skewSeconds) * 1000;
  if (expiresAt > now + (mostSeconds + 2 * skewSeconds) * 1000) return null;
  return { accountId, appId, isProof: false, digest: digestOf(jti), expiresAt };
}
