/** The answers with an id token, of the floors on both databases. */

import type { Person } from './floor-bodies.ts';
import {
  type Algorithm,
  type Asked,
  accessClaims,
  answered,
  type ClientRow,
  newToken,
  signAccessToken,
  signIdToken,
} from './floor-parts.ts';
import type { Proof } from './floor-proofs.ts';
import { digestOf, scope } from './peer.ts';

/** How the tokens of a client are made. */
export interface Making {
  readonly alg: Algorithm;
  /** Whether the access token is signed, so that no row need tell of it. */
  readonly isSigned: boolean;
}

export const usualMaking: Making = { alg: 'RS256', isSigned: false };

/** Of each refresh, by the name of its floor. */
export const refreshMakings = {
  token: usualMaking,
  'refresh-es256': { alg: 'ES256', isSigned: false },
  'refresh-dpop': usualMaking,
  'refresh-jwt': { alg: 'RS256', isSigned: true },
} as const satisfies Readonly<Record<string, Making>>;

/** The refresh that is sent with a proof of possession. */
export const provenRefresh = 'refresh-dpop';

/** How long the tokens that are stored live. */
export const refreshMilliseconds = 1_209_600_000;
export const accessMilliseconds = 3_600_000;

/** An opaque access token. */
export interface AccessToken {
  readonly text: string;
  readonly digest: string;
}

export function newAccessToken(): AccessToken {
  const text = newToken();
  return { text, digest: digestOf(text) };
}

/** What is stored of an opaque access token: its digest, which binds it to the key, if there is one. */
export function storedDigest({ text, digest }: AccessToken, proof: Proof | null): string {
  return proof ? digestOf(text + proof.thumbprint) : digest;
}

/** Tokens whose rows are written, and which are still to be signed. */
interface Prepared {
  readonly client: Pick<ClientRow, 'client_id'>;
  readonly user: Person;
  readonly refreshToken: string;
  /** Null: it is signed. */
  readonly accessToken: AccessToken | null;
  readonly proof: Proof | null;
}

export function sendTokens(reply: Asked['reply'], { alg }: Making, prepared: Prepared): void {
  const { client, user, proof } = prepared;
  const finish = ({ text, digest }: AccessToken) => {
    const iat = Math.floor(Date.now() / 1000);
    const at_hash = Buffer.from(digest, 'base64url').subarray(0, 16).toString('base64url');
    const name = { name: `${user.firstname} ${user.lastname}`, given_name: user.firstname, family_name: user.lastname };
    const claims = { iss: 'http://floor', aud: client.client_id, sub: String(user.id), email: user.email, ...name };
    signIdToken(alg, { ...claims, iat, exp: iat + 3600, auth_time: iat, at_hash }, (id_token) => {
      const token_type = proof ? 'DPoP' : 'Bearer';
      const tokens = { access_token: text, token_type, expires_in: 3600, scope };
      reply(answered(200, { ...tokens, refresh_token: prepared.refreshToken, id_token }));
    });
  };
  if (prepared.accessToken !== null) finish(prepared.accessToken);
  // The id token has the hash of the access token: one signature after the other.
  else
    signAccessToken(accessClaims(client, String(user.id), scope), (text) => finish({ text, digest: digestOf(text) }));
}
