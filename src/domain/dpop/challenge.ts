import { proofAlgorithms } from './check-proof.ts';

/** RFC 9449 §7.1: the scheme, an error where a token was sent, and the algorithms for proofs. */
export function dpopChallenge(error: 'invalid_token' | 'invalid_dpop_proof' | 'use_dpop_nonce'): string {
  return `DPoP realm="gatehouse", error="${error}", algs="${proofAlgorithms.join(' ')}"`;
}
