/** Proofs of possession (RFC 9449): a token is of no use without the key, which never leaves this page. */

import { base64url, base64urlOfText, digestOf, randomText } from './encoding.ts';

export interface ProofKey {
  prove(request: { readonly method: string; readonly url: string; readonly token?: string }): Promise<string>;
  /** The service wants its newest nonce in proofs. */
  keepNonce(nonce: string | null): void;
}

export async function createProofKey(): Promise<ProofKey> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
  const { privateKey, publicKey } = await crypto.subtle.generateKey(algorithm, false, ['sign', 'verify']);
  const { kty, crv, x, y } = await crypto.subtle.exportKey('jwk', publicKey);
  const header = base64urlOfText(JSON.stringify({ typ: 'dpop+jwt', alg: 'ES256', jwk: { kty, crv, x, y } }));
  let nonce: string | null = null;
  return {
    prove: async ({ method, url, token }) => {
      const { origin, pathname } = new URL(url, location.href);
      const claims = {
        jti: randomText(),
        htm: method,
        htu: `${origin}${pathname}`,
        iat: Math.floor(Date.now() / 1000),
        ...(token !== undefined && { ath: await digestOf(token) }),
        ...(nonce !== null && { nonce }),
      };
      const signed = `${header}.${base64urlOfText(JSON.stringify(claims))}`;
      const hash = { name: 'ECDSA', hash: 'SHA-256' };
      const signature = await crypto.subtle.sign(hash, privateKey, new TextEncoder().encode(signed));
      return `${signed}.${base64url(new Uint8Array(signature))}`;
    },
    keepNonce: (given) => {
      nonce = given ?? nonce;
    },
  };
}

/** Whether an answer asks for a proof with the nonce that it brings. */
export async function wantsNonce(answer: Response): Promise<boolean> {
  if (!answer.headers.has('dpop-nonce')) return false;
  if (answer.headers.get('www-authenticate')?.includes('use_dpop_nonce')) return true;
  if (answer.status !== 400) return false;
  const body = await answer
    .clone()
    .json()
    .catch(() => null);
  return body?.error === 'use_dpop_nonce';
}
