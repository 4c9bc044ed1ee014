/** Refreshes: chains of tokens, some with proofs of possession (RFC 9449), some with access tokens that are signed. */

import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import type { RawAnswer } from './http-client.ts';
import { formType, headerOf, requestText, unexpected } from './request-text.ts';
import type { Requests } from './requests.ts';
import type { Target } from './target.ts';

/** Bytes of a signature: RS256 with a key of 2,048 bits is what all servers have in common. */
const signatureBytes = { RS256: 256, ES256: 64 } as const;

/** Whether a JWT is signed as it should be. */
function isSignedBy(expected: keyof typeof signatureBytes, jwt: string): boolean {
  const [header = '', , signature = ''] = jwt.split('.');
  const { alg } = JSON.parse(Buffer.from(header, 'base64url').toString()) as { alg?: unknown };
  return alg === expected && Buffer.from(signature, 'base64url').length === signatureBytes[expected];
}

/** What is wrong with the tokens of an answer beside their number, by the kind of the request. */
function faultOf({ kind }: Target, body: string, idToken: string): string | null {
  const alg = kind === 'refresh-es256' ? 'ES256' : 'RS256';
  if (!isSignedBy(alg, idToken)) return `the id token is not signed with ${alg} as it should be`;
  if (kind === 'refresh-dpop' && !body.includes('"token_type":"DPoP"')) return 'the access token is not bound';
  if (kind === 'refresh-jwt' && !hasSignedAccessToken(body)) return 'the access token is not signed';
  return null;
}

export function hasSignedAccessToken(body: string): boolean {
  const accessToken = /"access_token":"([^"]+)"/.exec(body)?.[1] ?? '';
  return accessToken.split('.').length === 3 && isSignedBy('RS256', accessToken);
}

const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');

/** The proofs of so many clients, each with its own key, and with the nonce that the server gave last. */
function openProofs({ host, path }: Target, clients: number) {
  const keys = Array.from({ length: clients }, () => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const header = encode({ typ: 'dpop+jwt', alg: 'ES256', jwk: publicKey.export({ format: 'jwk' }) });
    return { header, options: { key: privateKey, dsaEncoding: 'ieee-p1363' } as const };
  });
  let nonce: string | undefined;
  return {
    header: (client: number): string => {
      const { header, options } = keys[client] ?? {};
      if (!header || !options) throw new Error('no such client');
      const iat = Math.floor(Date.now() / 1000);
      const claims = { jti: randomUUID(), htm: 'POST', htu: `http://${host}${path}`, iat, nonce };
      const input = `${header}.${encode(claims)}`;
      return `DPoP: ${input}.${sign('sha256', Buffer.from(input), options).toString('base64url')}\r\n`;
    },
    /** Keeps the nonce of an answer. Answers whether the server asks for the request again, with that nonce. */
    learn: (answer: RawAnswer): boolean => {
      nonce = headerOf(answer, 'dpop-nonce') ?? nonce;
      return answer.status === 400 && answer.body.includes('"use_dpop_nonce"');
    },
  };
}

export function refreshes(target: Target): Requests {
  const tokens = [...target.tokens];
  const of = target.clientId ? `&client_id=${encodeURIComponent(target.clientId)}` : '';
  const proofs = target.kind === 'refresh-dpop' ? openProofs(target, tokens.length) : null;
  const again = new Set<number>();
  let isSeen = false;
  return {
    size: tokens.length,
    write: (position) => {
      const body = `grant_type=refresh_token&refresh_token=${encodeURIComponent(tokens[position] ?? '')}${of}`;
      return requestText(target, formType, body, proofs?.header(position));
    },
    check: (position, answer) => {
      if (proofs?.learn(answer)) {
        again.add(position);
        return null;
      }
      const successor = /"refresh_token":"([^"]+)"/.exec(answer.body)?.[1];
      const idToken = /"id_token":"([^"]+)"/.exec(answer.body)?.[1];
      if (answer.status !== 200 || !successor || !idToken) return unexpected(answer);
      if (successor === tokens[position]) return 'the refresh token did not rotate';
      const fault = isSeen ? null : faultOf(target, answer.body, idToken);
      if (fault !== null) return fault;
      isSeen = true;
      // A copy: a part of the body would keep all of it.
      tokens[position] = Buffer.from(successor, 'latin1').toString('latin1');
      return null;
    },
    goesOn: (position) => again.delete(position),
  };
}
