/** Proofs of possession (RFC 9449): one signature to verify, and one row for each, so that it counts once. */

import { createHash, createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import type Sqlite from 'better-sqlite3';
import type { Asked } from './floor-parts.ts';
import { digestOf } from './peer.ts';

export interface Proof {
  /** Of its key (RFC 7638). */
  readonly thumbprint: string;
  readonly digest: string;
}

const acceptedSeconds = 300;
/** How long a proof that was used is kept. */
export const proofMilliseconds = acceptedSeconds * 1000;

interface Claims {
  readonly jti: string;
  readonly htm: string;
  readonly htu: string;
  readonly iat: number;
}

function thumbprintOf({ crv, kty, x, y }: JsonWebKey): string {
  return createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
}

/** Verifies the proof of a POST on the thread pool; null when it is not valid. */
export function verifyProof({ headers }: Asked, done: (proof: Proof | null) => void): void {
  const [head = '', payload = '', signature = ''] = String(headers['dpop']).split('.');
  const { alg, typ, jwk } = JSON.parse(Buffer.from(head, 'base64url').toString());
  const { jti, htm, htu, iat }: Claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
  const isLive = Math.abs(Date.now() / 1000 - iat) < acceptedSeconds;
  if (
    alg !== 'ES256' ||
    typ !== 'dpop+jwt' ||
    htm !== 'POST' ||
    htu !== `http://${headers.host}/refresh-dpop` ||
    !isLive
  ) {
    done(null);
    return;
  }
  const key = { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' } as const;
  const signed = Buffer.from(`${head}.${payload}`);
  verify('sha256', signed, key, Buffer.from(signature, 'base64url'), (error, isRight) => {
    if (error) throw error;
    const thumbprint = thumbprintOf(jwk);
    done(isRight ? { thumbprint, digest: digestOf(`${thumbprint} ${jti}`) } : null);
  });
}

/** Uses a proof up, within the transaction of its request; false when it was used before. */
export function openProofs(db: Sqlite.Database): (proof: Proof) => boolean {
  db.exec('create table proofs (digest text primary key, expires_at integer) strict, without rowid');
  const add = db.prepare('insert into proofs values (?, ?) on conflict do nothing');
  return ({ digest }) => add.run(digest, Date.now() + proofMilliseconds).changes === 1;
}
