/** JWTs that clients sign with their own keys: assertions and request objects. */

import { decodeProtectedHeader, importJWK, type JWTPayload, type JWTVerifyOptions, jwtVerify } from 'jose';
import type { Services } from '../../services.ts';
import type { AssertionAlgorithm, ClientKey } from '../../store/client-metadata.ts';
import type { ClientRecord } from '../../store/clients.ts';
import { algorithmsOf, assertionAlgorithms, isSameAlgorithm } from './client-keys.ts';

/** A client may publish any number of keys; the limit bounds the cost of a JWT that a stranger sends in its name. */
const mostTried = 5;

interface Header {
  readonly alg: AssertionAlgorithm;
  readonly kid: string | undefined;
}

/** The requirements on a JWT besides its signature. */
interface ClientJwtRules {
  /**
   * The allowed values of `typ`, which may be absent: another kind of JWT is refused even if its signature is valid
   * (RFC 8725 §3.11).
   */
  readonly types: readonly string[];
  /** The algorithm that the client registered; undefined: any supported one. */
  readonly algorithm: AssertionAlgorithm | undefined;
  readonly claims: Omit<JWTVerifyOptions, 'algorithms'>;
}

/**
 * The claims of a JWT signed by one of the client's keys; null for any other text. At most five keys are tried. Throws
 * `unavailable` as `ClientKeys` does.
 */
export async function readClientJwt(
  services: Pick<Services, 'clientKeys'>,
  client: ClientRecord,
  text: string,
  { types, algorithm, claims }: ClientJwtRules,
): Promise<JWTPayload | null> {
  const header = readHeader(text, types, algorithm);
  if (!header) return null;
  const keys = (await keysOf(services, client, header)) ?? [];
  for (const key of keysToTry(keys, header)) {
    const payload = await verify(key, header.alg, text, claims);
    if (payload) return payload;
  }
  return null;
}

function readHeader(
  text: string,
  types: readonly string[],
  asRegistered: AssertionAlgorithm | undefined,
): Header | null {
  try {
    const { alg, kid, typ } = decodeProtectedHeader(text);
    const known = assertionAlgorithms.find((one) => one === alg);
    if (!known || (typ !== undefined && !types.includes(typ))) return null;
    if (asRegistered !== undefined && !isSameAlgorithm(known, asRegistered)) return null;
    return { alg: known, kid: typeof kid === 'string' ? kid : undefined };
  } catch {
    return null;
  }
}

/** If the key is not known yet, the client's address is asked again. */
async function keysOf(
  { clientKeys }: Pick<Services, 'clientKeys'>,
  client: ClientRecord,
  header: Header,
): Promise<readonly ClientKey[] | null> {
  const { extra } = client;
  if (extra.jwks) return extra.jwks.keys;
  if (extra.jwks_uri === undefined) return null;
  return clientKeys.read(client, extra.jwks_uri, (keys) => keys.some((key) => fits(key, header)));
}

function fits(key: ClientKey, { alg, kid }: Header): boolean {
  return algorithmsOf(key).includes(alg) && (kid === undefined || key.kid === undefined || key.kid === kid);
}

/** Keys with the `kid` of the header first, then keys without a `kid`. */
function keysToTry(keys: readonly ClientKey[], header: Header): readonly ClientKey[] {
  const fitting = keys.filter((key) => fits(key, header));
  const isNamed = ({ kid }: ClientKey) => header.kid !== undefined && kid === header.kid;
  return [...fitting.filter(isNamed), ...fitting.filter((key) => !isNamed(key))].slice(0, mostTried);
}

/**
 * The claims, or null for a wrong signature, client or time. Errors caused by a bad key give null too; nothing else is
 * called here.
 */
async function verify(
  key: ClientKey,
  alg: AssertionAlgorithm,
  text: string,
  claims: ClientJwtRules['claims'],
): Promise<JWTPayload | null> {
  try {
    return (await jwtVerify(text, await importJWK({ ...key, alg }), { ...claims, algorithms: [alg] })).payload;
  } catch {
    return null;
  }
}
