/** What the floors have in common: tokens, signatures, and one commit for all who wait. */

import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type Sqlite from 'better-sqlite3';
import { basicOf } from './floor-bodies.ts';
import { digestOf } from './peer.ts';

/** A request, and how it is answered. */
export interface Asked {
  readonly headers: IncomingHttpHeaders;
  /** What follows the name of the floor in the path: an id, or a query. */
  readonly rest: string;
  readonly body: string;
  reply(answered: Answered): void;
}

export interface Answered {
  readonly status: number;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Floor = (asked: Asked) => void;

/** By the first segment of the path. */
export type Floors = Readonly<Record<string, Floor>>;

export const newToken = () => randomBytes(32).toString('base64url');
export const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
export const answered = (status: number, body: object): Answered => ({ status, text: JSON.stringify(body) });
export const refused = (error: string): Answered => answered(400, { error });
export const unauthenticated = answered(401, { error: 'invalid_client' });

/** What is done in the transaction; answers what follows its commit. */
type Write = () => () => void;

export type CommitLater = (write: Write) => void;

/** All that came in one turn of the event loop, in one transaction; answers follow the commit. */
export function openCommits(db: Sqlite.Database): CommitLater {
  let waiting: Write[] = [];

  function commitAll(): void {
    const batch = waiting;
    waiting = [];
    db.exec('begin immediate');
    const answers = batch.map((write) => write());
    db.exec('commit');
    for (const answer of answers) answer();
  }

  return (write) => {
    waiting.push(write);
    if (waiting.length === 1) setImmediate(commitAll);
  };
}

export interface ClientRow {
  readonly id: number;
  readonly client_id: string;
  readonly secret_digest: string;
}

export type FindClient = (authorization: string | undefined) => ClientRow | null;

/** Clients by `client_secret_basic`. */
export function openClients(db: Sqlite.Database): FindClient {
  const find = db.prepare<[string], ClientRow>('select id, client_id, secret_digest from clients where client_id = ?');
  return (authorization) => {
    const [id, secret] = basicOf(authorization);
    const client = find.get(id);
    return client?.secret_digest === digestOf(secret) ? client : null;
  };
}

export type Algorithm = 'RS256' | 'ES256';

const keys: Readonly<Record<Algorithm, KeyObject>> = {
  RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
};

const headers = {
  JWT: {
    RS256: encode({ alg: 'RS256', kid: 'RS256', typ: 'JWT' }),
    ES256: encode({ alg: 'ES256', kid: 'ES256', typ: 'JWT' }),
  },
  'at+jwt': { RS256: encode({ alg: 'RS256', kid: 'RS256', typ: 'at+jwt' }) },
} as const;

export const jwks = {
  keys: Object.entries(keys).map(([alg, key]) => {
    return { ...createPublicKey(key).export({ format: 'jwk' }), alg, use: 'sig', kid: alg };
  }),
};

function signText(input: string, alg: Algorithm, done: (jwt: string) => void): void {
  // A key alone is much quicker to recognize than one in an object.
  const key = alg === 'RS256' ? keys[alg] : ({ key: keys[alg], dsaEncoding: 'ieee-p1363' } as const);
  sign('sha256', Buffer.from(input), key, (error, signature) => {
    if (error) throw error;
    done(`${input}.${signature.toString('base64url')}`);
  });
}

/** Signs on the thread pool. */
export function signIdToken(alg: Algorithm, claims: object, done: (jwt: string) => void): void {
  signText(`${headers.JWT[alg]}.${encode(claims)}`, alg, done);
}

/** The same of an access token (RFC 9068). */
export function signAccessToken(claims: object, done: (jwt: string) => void): void {
  signText(`${headers['at+jwt'].RS256}.${encode(claims)}`, 'RS256', done);
}

/** What all signed access tokens of the floor say. */
export function accessClaims(client: Pick<ClientRow, 'client_id'>, sub: string, scope: string): object {
  const iat = Math.floor(Date.now() / 1000);
  const of = { iss: 'http://floor', aud: 'https://api.example.com/floor', sub, client_id: client.client_id };
  return { ...of, iat, exp: iat + 3600, jti: newToken(), scope };
}
