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
import { algorithmsOf, assertionAlgorithms, isSameAlgorithm } from '../clients/client-keys.ts';
import { forgetClockFault, noteClockFault } from '../clients/clock-faults.ts';
import { clientAlgorithms, followsFapi } from '../clients/security-profile.ts';
import { Failure } from '../failure.ts';
import { digestOf } from '../secrets.ts';
import { currentNonce, isLiveNonce } from './nonce.ts';

/** The algorithms of proofs: the same as for client assertions, and never a shared secret. */
export const proofAlgorithms: readonly AssertionAlgorithm[] = assertionAlgorithms;

/** The maximum age of a proof, and how far ahead the client's clock may be. */
const oldestSeconds = 300;
const aheadSeconds = 60;
const longestProof = 8_192;
const longestJti = 255;

/** The request that a proof is for. */
export interface ProvenRequest {
  /** The `DPoP` header. */
  readonly proof: string;
  readonly method: string;
  /** The URLs, without query, that it may have been sent to. */
  readonly urls: readonly string[];
  /** The access token that the request presents; null at a token endpoint. */
  readonly accessToken: string | null;
}

/** A proof that is valid for its request, once: `useProof` checks whether it was used before. */
export interface Proof {
  /** Thumbprint of its key (RFC 7638). */
  readonly thumbprint: string;
  /** Stored until the proof is too old to be accepted. */
  readonly use: AssertionRecord;
}

type ProofServices = Pick<Services, 'clock' | 'vault'>;

/**
 * Verifies a proof and writes nothing: requests that are refused for another reason leave no rows, however many are
 * sent. Throws `dpop_proof_invalid` and `dpop_nonce_required`.
 */
export async function readProof(
  services: ProofServices,
  account: Account,
  client: Pick<ClientRecord, 'appId' | 'extra'>,
  request: ProvenRequest,
): Promise<Proof> {
  const header = readHeader(request.proof, clientAlgorithms(account, client));
  const payload = readClaims(request.proof);
  const now = services.clock.now();
  const { jti, iat = 0, nonce } = payload;
  if (typeof jti !== 'string' || jti === '' || jti.length > longestJti) throw invalid('jti is missing or too long');
  if (payload['htm'] !== request.method) throw invalid('htm is not the method of this request');
  if (!isAddressIn(payload['htu'], request.urls)) throw invalid('htu is not the address of this request');
  const age = now / 1000 - iat;
  if (typeof payload.iat !== 'number' || age > oldestSeconds || age < -aheadSeconds) {
    noteClockFault(services, account, client, { what: 'proof', aheadSeconds: -age });
    throw invalid('iat is too old or in the future');
  }
  if (request.accessToken !== null && payload['ath'] !== hash('sha256', request.accessToken, 'base64url')) {
    throw invalid('ath is not the hash of the access token');
  }
  if (typeof nonce !== 'string' || !isLiveNonce(services.vault, account, nonce, now)) {
    throw new Failure('dpop_nonce_required', { nonce: currentNonce(services.vault, account, now) });
  }
  // The most expensive check comes last: without a live nonce no signature is verified (§8).
  await verify(request.proof, header);
  const { key } = header;
  const thumbprint = await calculateJwkThumbprint(key, 'sha256');
  const expiresAt = Math.ceil((iat + oldestSeconds + 1) * 1000);
  forgetClockFault(services, account, client);
  const digest = digestOf(`dpop ${thumbprint} ${jti}`);
  const use = { accountId: account.id, appId: client.appId, isProof: true, digest, expiresAt };
  return { thumbprint, use };
}

/**
 * Uses a proof up when its request is granted, in the same transaction if there is one; the store remembers used proofs
 * (§11.1). Does nothing without a proof. Throws `dpop_proof_invalid`.
 */
export async function useProof({ clients }: Pick<StoreVerbs, 'clients'>, proof: Proof | null): Promise<void> {
  if (proof && !(await clients.useAssertion(proof.use))) throw proofWasUsed();
}

/** The same of a proof for the console, to which no row of an app belongs. */
export async function useConsoleProof({ administrators }: Pick<StoreVerbs, 'administrators'>, proof: Proof) {
  const { accountId, digest, expiresAt } = proof.use;
  if (!(await administrators.useProof({ accountId, digest, expiresAt }))) throw proofWasUsed();
}

/** The error for a proof that another request has used. */
export function proofWasUsed(): Failure {
  return invalid('jti has been used before');
}

/**
 * The proof of a token request, to whose key the tokens are bound (§5); null without one. Throws `dpop_proof_invalid`
 * if the client must send one and sends none, `request_invalid` if FAPI 2.0 applies to it, and as `readProof` does.
 */
export async function proofOf(
  services: ProofServices,
  account: Account,
  client: ClientRecord,
  proof: string | undefined,
  urls: readonly string[],
): Promise<Proof | null> {
  if (proof !== undefined) {
    return readProof(services, account, client, { proof, method: 'POST', urls, accessToken: null });
  }
  if (followsFapi(account, client)) {
    // As for a missing certificate; who certifies the profile takes no `invalid_dpop_proof` here.
    const message = 'the request came without the DPoP proof that this client must send (FAPI 2.0)';
    throw new Failure('request_invalid', { message });
  }
  if (client.extra.dpop_bound_access_tokens) throw invalid('it is missing, and this client must send one');
  return null;
}

/** The nonce for the client's next proof, after a valid one (§8.2). */
export function nextNonce({ vault, clock }: Pick<ProofServices, 'vault' | 'clock'>, account: Account) {
  return { 'dpop-nonce': currentNonce(vault, account, clock.now()) };
}

interface ProofHeader {
  readonly key: ClientKey;
  readonly alg: AssertionAlgorithm;
}

/** Verifies the signature with the key in the header, whose type, size and algorithm must be allowed. */
async function verify(proof: string, { key, alg }: ProofHeader): Promise<void> {
  try {
    // As a JWS: the only time that counts is `iat` (§4.2), which the caller checks.
    await compactVerify(proof, await importJWK({ ...key, alg }), { algorithms: [alg] });
  } catch {
    throw invalid('the signature does not match the key');
  }
}

/** The claims of the proof, before its signature is verified. */
function readClaims(proof: string): JWTPayload {
  try {
    return decodeJwt(proof);
  } catch {
    throw invalid('it has no claims');
  }
}

function readHeader(proof: string, algorithms: readonly AssertionAlgorithm[]): ProofHeader {
  let header: ReturnType<typeof decodeProtectedHeader>;
  try {
    header = decodeProtectedHeader(proof.length > longestProof ? '' : proof);
  } catch {
    throw invalid('it is not a single JWT');
  }
  const alg = algorithms.find((one) => one === header.alg);
  const { jwk } = header;
  if (header.typ !== 'dpop+jwt') throw invalid('typ is not dpop+jwt');
  if (!alg) throw invalid(`alg must be one of ${algorithms.join(', ')}`);
  if (typeof jwk !== 'object' || jwk === null) throw invalid('jwk is missing');
  // §4.3: a published private or shared key proves nothing.
  if (['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'].some((member) => member in jwk)) throw invalid('jwk is not public');
  const { kty = '', crv, n, e, x, y } = jwk;
  const key = { kty, ...(crv && { crv }), ...(n && { n }), ...(e && { e }), ...(x && { x }), ...(y && { y }) };
  // RFC 7517 §4.4: a key that names its algorithm is for no other.
  const isOther = jwk.alg !== undefined && (typeof jwk.alg !== 'string' || !isSameAlgorithm(jwk.alg, alg));
  if (isOther || !algorithmsOf(key).includes(alg)) throw invalid('jwk does not match alg');
  return { key, alg };
}

/** §4.3: without query and fragment, compared as normalized URIs (RFC 3986 §6.2.2, §6.2.3). */
function isAddressIn(htu: unknown, urls: readonly string[]): boolean {
  const parsed = typeof htu === 'string' ? URL.parse(htu) : null;
  if (parsed?.username !== '' || parsed.password !== '') return false;
  return urls.includes(parsed.origin + parsed.pathname);
}

function invalid(why: string): Failure {
  return new Failure('dpop_proof_invalid', { message: `the DPoP proof is invalid: ${why}` });
}
