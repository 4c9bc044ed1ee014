/** The floors of requests that need no user to be there: what each must read and write, and what it answers. */

import { randomBytes } from 'node:crypto';
import type Sqlite from 'better-sqlite3';
import { activeBody, bearerOf, personBody, pushedBody, registeredBody, tokenBody } from './floor-bodies.ts';
import {
  accessClaims,
  answered,
  type CommitLater,
  type FindClient,
  type Floor,
  type Floors,
  newToken,
  signAccessToken,
  unauthenticated,
} from './floor-parts.ts';
import { digestOf } from './peer.ts';

/** Members of a user's answer. */
interface UserRow {
  readonly id: number;
  readonly email: string;
  readonly firstname: string;
  readonly lastname: string;
}

interface TokenRow {
  readonly digest: string;
  readonly expires_at: number;
  readonly client_id: string;
}

/** The tables of `floor.ts` are there; makes those that only these requests need. */
export function openAnswerFloors(
  db: Sqlite.Database,
  commitLater: CommitLater,
  clientOf: FindClient,
  registrationToken: string,
): Floors {
  db.exec(`
    create table registrars (digest text primary key, expires_at integer) strict, without rowid;
    create table pushed (digest text primary key, client integer, parameters text, expires_at integer)
      strict, without rowid`);
  db.prepare('insert into registrars values (?, ?)').run(digestOf(registrationToken), Date.now() + 86_400_000);
  const findRegistrar = db.prepare<[string], { expires_at: number }>(
    'select expires_at from registrars where digest = ?',
  );
  const findToken = db.prepare<[number], TokenRow & UserRow>(
    `select t.digest, t.expires_at, c.client_id, u.* from access_tokens t join families f on f.id = t.family
      join clients c on c.id = f.client join users u on u.id = f.user where t.id = ?`,
  );
  const addToken = db.prepare('insert into access_tokens (family, digest, expires_at) values (?, ?, ?)');
  const addPushed = db.prepare('insert into pushed values (?, ?, ?, ?)');
  const addClient = db.prepare('insert into clients (client_id, secret_digest, metadata) values (?, ?, ?)');

  function tokenOf(text: string) {
    const [id = '', secret = ''] = text.split('.');
    const row = findToken.get(Number(id));
    return row && row.digest === digestOf(secret) && row.expires_at > Date.now() ? row : null;
  }

  const clientCredentials: Floor = ({ headers, reply }) => {
    if (!clientOf(headers.authorization)) {
      reply(unauthenticated);
      return;
    }
    const access_token = newToken();
    commitLater(() => {
      addToken.run(null, digestOf(access_token), Date.now() + 3_600_000);
      return () => reply(answered(200, tokenBody(access_token)));
    });
  };

  /** Nothing is stored: who gets the token checks its signature. */
  const signedClientCredentials: Floor = ({ headers, reply }) => {
    const client = clientOf(headers.authorization);
    if (!client) {
      reply(unauthenticated);
      return;
    }
    signAccessToken(accessClaims(client, client.client_id, 'orders'), (access_token) =>
      reply(answered(200, tokenBody(access_token, 'orders'))),
    );
  };

  const introspection: Floor = ({ headers, body, reply }) => {
    if (!clientOf(headers.authorization)) {
      reply(unauthenticated);
      return;
    }
    const row = tokenOf(new URLSearchParams(body).get('token') ?? '');
    reply(answered(200, row ? activeBody(row.client_id, row.id, row.expires_at) : { active: false }));
  };

  const userinfo: Floor = ({ headers, reply }) => {
    const row = tokenOf(bearerOf(headers.authorization));
    if (!row) {
      reply(unauthenticated);
      return;
    }
    reply(answered(200, personBody(row)));
  };

  const pushed: Floor = ({ headers, body, reply }) => {
    const client = clientOf(headers.authorization);
    if (!client) {
      reply(unauthenticated);
      return;
    }
    const parameters = JSON.stringify(Object.fromEntries(new URLSearchParams(body)));
    const secret = newToken();
    commitLater(() => {
      addPushed.run(digestOf(secret), client.id, parameters, Date.now() + 90_000);
      return () => reply(answered(201, pushedBody(secret)));
    });
  };

  const registration: Floor = ({ headers, body, reply }) => {
    const registrar = findRegistrar.get(digestOf(bearerOf(headers.authorization)));
    if (!registrar || registrar.expires_at <= Date.now()) {
      reply(unauthenticated);
      return;
    }
    const metadata: object = JSON.parse(body);
    const [client_id, client_secret] = [randomBytes(16).toString('hex'), newToken()];
    commitLater(() => {
      addClient.run(client_id, digestOf(client_secret), JSON.stringify(metadata));
      return () => reply(answered(201, registeredBody(client_id, client_secret, metadata)));
    });
  };

  return {
    'client-credentials': clientCredentials,
    'client-credentials-jwt': signedClientCredentials,
    introspection,
    userinfo,
    pushed,
    registration,
  };
}
