/** JWTs that clients sign with their own keys: assertions and request objects. */

import { decodeProtectedHeader, errors, importJWK, type JWTPayload, type JWTVerifyOptions, jwtVerify } from 'jose';
import type { Services } from '../../services.ts';
import type { AssertionAlgorithm, ClientKey } from '../../store/client-metadata.ts';
import type { ClientRecord } from '../../store/clients.ts';
import { algorithmsOf, isSameAlgorithm } from './client-keys.ts';
import { readKeys } from './registered-keys.ts';

/** A client may publish any number of keys; the limit bounds the cost of a JWT that a stranger sends in its name. */
const mostTried = 5;

interface Header {
  readonly alg: AssertionAlgorithm;
  readonly kid: string | undefined;
}

/** The requirements on a JWT besides its signature. */
interface ClientJwtRules {
  /**
   * The allowed values of `typ` in lower case, which may be absent: another kind of JWT is refused even if its signature
   * is valid (RFC 8725 §3.11).
   */
  readonly types: readonly string[];
  readonly algorithms: readonly AssertionAlgorithm[];
  /** The algorithm that the client registered; undefined: any of these. */
  readonly algorithm: AssertionAlgorithm | undefined;
  readonly claims: Omit<JWTVerifyOptions, 'algorithms'>;
}

/** What is wrong with a JWT, for the log: nothing in it was sent. */
interface Fault {
  readonly fault: string;
}

const wrongSignature: Fault = { fault: 'the signature is not by this key' };

/**
 * The claims of a JWT signed by one of the client's keys, or what is wrong with it. At most five keys are tried. Throws
 * `unavailable` as `ClientKeys` does.
 */
export async function readClientJwt(
  services: Pick<Services, 'clientKeys'>,
  client: ClientRecord,
  text: string,
  { types, algorithms, algorithm, claims }: ClientJwtRules,
): Promise<{ readonly payload: JWTPayload } | Fault> {
  const header = readHeader(text, types, algorithms, algorithm);
  if ('fault' in header) return header;
  const keys = keysToTry(
    (await readKeys(services, client, (all) => all.some((key) => fits(key, header)))) ?? [],
    header,
  );
  let found: Fault = { fault: 'the client has no key with its kid and alg' };
  for (const key of keys) {
    const read = await verify(key, header.alg, text, claims);
    if ('payload' in read) return read;
    // A claim is read only after the signature, so what is wrong with it says more.
    if (read !== wrongSignature || keys[0] === key) found = read;
  }
  return found;
}

function readHeader(
  text: string,
  types: readonly string[],
  algorithms: readonly AssertionAlgorithm[],
  asRegistered: AssertionAlgorithm | undefined,
): Header | Fault {
  try {
    const { alg, kid, typ } = decodeProtectedHeader(text);
    const known = algorithms.find((one) => one === alg);
    if (!known) return { fault: 'alg is not supported' };
    if (typ !== undefined && !types.includes(mediaSubtype(typ))) return { fault: 'typ is that of another kind of JWT' };
    if (asRegistered !== undefined && !isSameAlgorithm(known, asRegistered))
      return { fault: 'alg is not the one that the client registered' };
    return { alg: known, kid: typeof kid === 'string' ? kid : undefined };
  } catch {
    return { fault: 'it is not a signed JWT' };
  }
}

/** Media types compare without case, and `application/` may be left out (RFC 7515 §4.1.9). */
function mediaSubtype(typ: string): string {
  return typ.toLowerCase().replace(/^application\//, '');
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

/** Errors caused by a bad key count as a wrong signature; nothing else is called here. */
async function verify(
  key: ClientKey,
  alg: AssertionAlgorithm,
  text: string,
  claims: ClientJwtRules['claims'],
): Promise<{ readonly payload: JWTPayload } | Fault> {
  try {
    const { payload } = await jwtVerify(text, await importJWK({ ...key, alg }), { ...claims, algorithms: [alg] });
    return { payload };
  } catch (error) {
    if (error instanceof errors.JWTClaimValidationFailed || error instanceof errors.JWTExpired)
      return { fault: `${error.claim} is missing, wrong, or not valid now` };
    return wrongSignature;
  }
}
