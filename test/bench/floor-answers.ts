/** The floors of requests that sign nothing: what each must read and write, and what it answers. */

import { randomBytes } from 'node:crypto';
import type Sqlite from 'better-sqlite3';
import { digestOf, scope } from './peer.ts';

/** What a request sent. */
interface Asked {
  readonly authorization: string;
  readonly body: string;
}

export interface Answered {
  readonly status: number;
  readonly text: string;
}

/** A write shares its commit with all that wait; `write` runs inside of it, and its answer follows the commit. */
export type Work = { readonly answer: Answered } | { readonly write: () => Answered };

type Floor = (asked: Asked) => Work;

const newToken = () => randomBytes(32).toString('base64url');
const answered = (status: number, body: object): Answered => ({ status, text: JSON.stringify(body) });
const refused: Work = { answer: answered(401, { error: 'invalid_client' }) };

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

/** The floors by path. The tables of `floor.ts` are there; makes those that only these requests need. */
export function openFloors(db: Sqlite.Database, registrationToken: string, jwks: object) {
  db.exec(`
    create table registrars (digest text primary key, expires_at integer) strict, without rowid;
    create table pushed (digest text primary key, client integer, parameters text, expires_at integer)
      strict, without rowid`);
  db.prepare('insert into registrars values (?, ?)').run(digestOf(registrationToken), Date.now() + 86_400_000);
  const findClient = db.prepare<[string], { id: number; client_id: string; secret_digest: string }>(
    'select id, client_id, secret_digest from clients where client_id = ?',
  );
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

  function clientOf(authorization: string) {
    const [id = '', secret = ''] = Buffer.from(authorization.slice('Basic '.length), 'base64').toString().split(':');
    const client = findClient.get(id);
    return client?.secret_digest === digestOf(secret) ? client : null;
  }

  function tokenOf(text: string) {
    const [id = '', secret = ''] = text.split('.');
    const row = findToken.get(Number(id));
    return row && row.digest === digestOf(secret) && row.expires_at > Date.now() ? row : null;
  }

  const clientCredentials: Floor = ({ authorization }) => {
    if (!clientOf(authorization)) return refused;
    const access_token = newToken();
    return {
      write: () => {
        addToken.run(null, digestOf(access_token), Date.now() + 3_600_000);
        return answered(200, { access_token, token_type: 'Bearer', expires_in: 3600, scope });
      },
    };
  };

  const introspection: Floor = ({ authorization, body }) => {
    if (!clientOf(authorization)) return refused;
    const row = tokenOf(new URLSearchParams(body).get('token') ?? '');
    const exp = Math.floor((row?.expires_at ?? 0) / 1000);
    const found = row && { active: true, scope, client_id: row.client_id, token_type: 'Bearer', exp, sub: row.id };
    return { answer: answered(200, found ?? { active: false }) };
  };

  const userinfo: Floor = ({ authorization }) => {
    const row = tokenOf(authorization.slice('Bearer '.length));
    if (!row) return refused;
    const { id, email, firstname, lastname } = row;
    const name = `${firstname} ${lastname}`;
    return { answer: answered(200, { sub: id, email, name, given_name: firstname, family_name: lastname }) };
  };

  const pushed: Floor = ({ authorization, body }) => {
    const client = clientOf(authorization);
    if (!client) return refused;
    const parameters = JSON.stringify(Object.fromEntries(new URLSearchParams(body)));
    const secret = newToken();
    return {
      write: () => {
        addPushed.run(digestOf(secret), client.id, parameters, Date.now() + 90_000);
        return answered(201, { request_uri: `urn:ietf:params:oauth:request_uri:${secret}`, expires_in: 90 });
      },
    };
  };

  const registration: Floor = ({ authorization, body }) => {
    const registrar = findRegistrar.get(digestOf(authorization.slice('Bearer '.length)));
    if (!registrar || registrar.expires_at <= Date.now()) return refused;
    const metadata: object = JSON.parse(body);
    const [client_id, client_secret] = [randomBytes(16).toString('hex'), newToken()];
    return {
      write: () => {
        addClient.run(client_id, digestOf(client_secret), JSON.stringify(metadata));
        return answered(201, { client_id, client_secret, client_secret_expires_at: 0, ...metadata });
      },
    };
  };

  const jwksText = JSON.stringify(jwks);
  const floors: Readonly<Record<string, Floor>> = {
    '/client-credentials': clientCredentials,
    '/introspection': introspection,
    '/userinfo': userinfo,
    '/pushed': pushed,
    '/registration': registration,
    '/jwks': () => ({ answer: { status: 200, text: jwksText } }),
  };
  return floors;
}
