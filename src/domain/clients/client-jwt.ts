/** JWTs that clients sign with keys of theirs: assertions and request objects. */

import { decodeProtectedHeader, importJWK, type JWTPayload, type JWTVerifyOptions, jwtVerify } from 'jose';
import type { Services } from '../../services.ts';
import type { AssertionAlgorithm, ClientKey } from '../../store/client-metadata.ts';
import type { ClientRecord } from '../../store/clients.ts';
import { algorithmsOf, assertionAlgorithms, isSameAlgorithm } from './client-keys.ts';

/** A client chooses how many keys it publishes; whoever sends a JWT in its name is not to choose what that costs. */
const mostTried = 5;

interface Header {
  readonly alg: AssertionAlgorithm;
  readonly kid: string | undefined;
}

/** What a JWT must be beside authentic. */
interface ClientJwtRules {
  /** What `typ` may say, where it says anything: a JWT of another kind is refused, whoever signed it (RFC 8725 §3.11). */
  readonly types: readonly string[];
  /** The one algorithm that the client registered; undefined: any that is offered. */
  readonly algorithm: AssertionAlgorithm | undefined;
  readonly claims: Omit<JWTVerifyOptions, 'algorithms'>;
}

/**
 * The claims of a JWT that one of the client's keys signed; null for any other text. It is tried with five keys at most.
 * Throws `unavailable` as `ClientKeys` does.
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

/** A key that is not there yet is looked for anew at the client's address. */
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

/** Those with the header's `kid` first, then those that have none. */
function keysToTry(keys: readonly ClientKey[], header: Header): readonly ClientKey[] {
  const fitting = keys.filter((key) => fits(key, header));
  const isNamed = ({ kid }: ClientKey) => header.kid !== undefined && kid === header.kid;
  return [...fitting.filter(isNamed), ...fitting.filter((key) => !isNamed(key))].slice(0, mostTried);
}

/** The claims, or null for another signature, client or time. What a bad key makes of it is null as well: nothing else is asked here. */
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
