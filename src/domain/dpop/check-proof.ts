/** Proofs of possession of a key (RFC 9449). */

import { hash } from 'node:crypto';
import {
  calculateJwkThumbprint,
  compactVerify,
  decodeJwt,
  decodeProtectedHeader,
  importJWK,
  type JWTPayload,
} from 'jose';
import type { Services } from '../../services.ts';
import type { AssertionAlgorithm, ClientKey } from '../../store/client-metadata.ts';
import type { AssertionRecord, ClientRecord } from '../../store/clients.ts';
import type { StoreVerbs } from '../../store/store.ts';
import type { Account } from '../accounts/account.ts';
import { algorithmsOf, assertionAlgorithms } from '../clients/client-keys.ts';
import { Failure } from '../failure.ts';
import { digestOf } from '../secrets.ts';
import { currentNonce, isLiveNonce } from './nonce.ts';

/** What a proof may be signed with: the same as assertions of clients, and never a shared secret. */
export const proofAlgorithms: readonly AssertionAlgorithm[] = assertionAlgorithms;

/** How old a proof may be, and how far ahead its client's clock. */
const oldestSeconds = 300;
const aheadSeconds = 60;
const longestProof = 8_192;
const longestJti = 255;

/** The request that a proof is for. */
export interface ProvenRequest {
  /** Value of the header `DPoP`. */
  readonly proof: string;
  readonly method: string;
  /** The address without query. */
  readonly url: string;
  /** The access token that the request presents; null at a token endpoint. */
  readonly accessToken: string | null;
}

/** A proof that is good for its request, once: `useProof` says whether it was used before. */
export interface Proof {
  /** Of the key that it shows (RFC 7638). */
  readonly thumbprint: string;
  /** What is kept of it until it is too old to be taken. */
  readonly use: AssertionRecord;
}

type ProofServices = Pick<Services, 'clock' | 'vault'>;

/**
 * Reads a proof and writes nothing: a request that is refused for something else leaves nothing behind, however many
 * strangers send. Throws `dpop_proof_invalid` and `dpop_nonce_required`.
 */
export async function readProof(
  services: ProofServices,
  account: Account,
  { appId }: Pick<ClientRecord, 'appId'>,
  request: ProvenRequest,
): Promise<Proof> {
  const header = readHeader(request.proof);
  const payload = readClaims(request.proof);
  const now = services.clock.now();
  const { jti, iat = 0, nonce } = payload;
  if (typeof jti !== 'string' || jti === '' || jti.length > longestJti) throw invalid('jti is missing or too long');
  if (payload['htm'] !== request.method) throw invalid('htm is not the method of this request');
  if (!isSameAddress(payload['htu'], request.url)) throw invalid('htu is not the address of this request');
  const age = now / 1000 - iat;
  if (typeof payload.iat !== 'number' || age > oldestSeconds || age < -aheadSeconds)
    throw invalid('iat is too old or in the future');
  if (request.accessToken !== null && payload['ath'] !== hash('sha256', request.accessToken, 'base64url')) {
    throw invalid('ath is not the hash of the access token');
  }
  if (typeof nonce !== 'string' || !isLiveNonce(services.vault, account, nonce, now)) {
    throw new Failure('dpop_nonce_required', { nonce: currentNonce(services.vault, account, now) });
  }
  // What costs most comes last: a request without a live nonce costs no check of a signature (§8).
  await verify(request.proof, header);
  const { key } = header;
  const thumbprint = await calculateJwkThumbprint(key, 'sha256');
  const expiresAt = Math.ceil((iat + oldestSeconds + 1) * 1000);
  const use = { accountId: account.id, appId, digest: digestOf(`dpop ${thumbprint} ${jti}`), expiresAt };
  return { thumbprint, use };
}

/**
 * Uses a proof up where its request is granted, in the transaction of that if there is one: the store knows those that
 * were used (§11.1). Nothing to do without one. Throws `dpop_proof_invalid`.
 */
export async function useProof({ clients }: Pick<StoreVerbs, 'clients'>, proof: Proof | null): Promise<void> {
  if (proof && !(await clients.useAssertion(proof.use))) throw proofWasUsed();
}

/** Of a proof whose request is not granted, since another was by it. */
export function proofWasUsed(): Failure {
  return invalid('jti has been used before');
}

/**
 * The proof of a request for tokens, which are bound to its key (§5); null without one. Throws `dpop_proof_invalid` for
 * a client that registered `dpop_bound_access_tokens` and sends none, and as `readProof` does.
 */
export async function proofOf(
  services: ProofServices,
  account: Account,
  client: ClientRecord,
  proof: string | undefined,
  endpoint: string,
): Promise<Proof | null> {
  if (proof !== undefined) {
    return readProof(services, account, client, { proof, method: 'POST', url: endpoint, accessToken: null });
  }
  if (client.extra.dpop_bound_access_tokens) throw invalid('it is missing, and this client is registered to send one');
  return null;
}

/** What a client whose proof was good sends with its next one (§8.2). */
export function nextNonce({ vault, clock }: Pick<ProofServices, 'vault' | 'clock'>, account: Account) {
  return { 'dpop-nonce': currentNonce(vault, account, clock.now()) };
}

interface ProofHeader {
  readonly key: ClientKey;
  readonly alg: AssertionAlgorithm;
}

/** Checks the signature by the key in the header, whose kind, size and algorithm are on the list. */
async function verify(proof: string, { key, alg }: ProofHeader): Promise<void> {
  try {
    // As a JWS: of times only `iat` counts (§4.2), and the caller looks at it.
    await compactVerify(proof, await importJWK({ ...key, alg }), { algorithms: [alg] });
  } catch {
    throw invalid('the signature does not match the key');
  }
}

/** What the proof says, before its signature is checked. */
function readClaims(proof: string): JWTPayload {
  try {
    return decodeJwt(proof);
  } catch {
    throw invalid('it has no claims');
  }
}

function readHeader(proof: string): ProofHeader {
  let header: ReturnType<typeof decodeProtectedHeader>;
  try {
    header = decodeProtectedHeader(proof.length > longestProof ? '' : proof);
  } catch {
    throw invalid('it is not a single JWT');
  }
  const alg = proofAlgorithms.find((one) => one === header.alg);
  const { jwk } = header;
  if (header.typ !== 'dpop+jwt') throw invalid('typ is not dpop+jwt');
  if (!alg) throw invalid(`alg must be one of ${proofAlgorithms.join(', ')}`);
  if (typeof jwk !== 'object' || jwk === null) throw invalid('jwk is missing');
  // §4.3: a private key, or a shared one, proves nothing any more.
  if (['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'].some((member) => member in jwk)) throw invalid('jwk is not public');
  const { kty = '', crv, n, e, x, y } = jwk;
  const key = { kty, ...(crv && { crv }), ...(n && { n }), ...(e && { e }), ...(x && { x }), ...(y && { y }) };
  if (!algorithmsOf(key).includes(alg)) throw invalid('jwk does not match alg');
  return { key, alg };
}

/** §4.3: without query and fragment, as addresses are compared (RFC 3986 §6.2.2, §6.2.3). */
function isSameAddress(htu: unknown, url: string): boolean {
  const parsed = typeof htu === 'string' ? URL.parse(htu) : null;
  if (parsed?.username !== '' || parsed.password !== '') return false;
  return parsed.origin + parsed.pathname === url;
}

function invalid(why: string): Failure {
  return new Failure('dpop_proof_invalid', { message: `the DPoP proof is invalid: ${why}` });
}
