/**
 * The floors on PostgreSQL of requests that sign nothing: what `floor-answers.ts` is on SQLite. One prepared statement
 * serves all requests of a kind that wait, the secrets of their clients included, and is their commit. While it is in
 * the database, the next ones gather.
 */

import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import type { Answered } from './floor-answers.ts';
import { digestOf, scope } from './peer.ts';

/** What a request sent. */
interface Asked {
  readonly authorization: string;
  readonly body: string;
}

type Answer = (answered: Answered) => void;
type Floor = (asked: Asked, answer: Answer) => void;

/** The values of a row, as PostgreSQL writes them. */
type Row = readonly (string | null)[];

const newToken = () => randomBytes(32).toString('base64url');
const answered = (status: number, body: object): Answered => ({ status, text: JSON.stringify(body) });
const refused = answered(401, { error: 'invalid_client' });
const bearerOf = (authorization: string) => authorization.slice('Bearer '.length);

/** The client that asks, and the digest of its secret. */
function basicOf(authorization: string): readonly [clientId: string, secretDigest: string] {
  const [id = '', secret = ''] = Buffer.from(authorization.slice('Basic '.length), 'base64').toString().split(':');
  return [id, digestOf(secret)];
}

/** A token is the number of its row and a secret. */
function tokenOf(text: string): readonly [id: number, digest: string] {
  const [id = '', secret = ''] = text.split('.');
  return [Number.parseInt(id, 10) || 0, digestOf(secret)];
}

interface Waiting {
  /** Its values in the arrays of the statement. */
  readonly values: readonly (string | number)[];
  /** By what its row is found; null: by its place in the batch, from 1 on. */
  readonly key: string | null;
  readonly answer: Answer;
  /** What it is answered when its row was found. */
  readonly found: (row: Row) => Answered;
}

interface Statement {
  readonly name: string;
  /** Takes arrays, one for each of the values, and a time; the first column of its rows is the key. */
  readonly text: string;
  /** Milliseconds from now to that time. */
  readonly ahead: number;
  /** The answer to those whose row was not found. */
  readonly otherwise: Answered;
}

/** Sends the statement for all that wait, and then for those that came meanwhile. */
function together(db: pg.Client, { name, text, ahead, otherwise }: Statement): (one: Waiting) => void {
  let waiting: Waiting[] = [];
  let isUnderWay = false;
  const begin = () => setImmediate(() => void run());
  async function run(): Promise<void> {
    const batch = waiting;
    waiting = [];
    const arrays = batch[0]?.values.map((_, place) => batch.map(({ values }) => values[place])) ?? [];
    const { rows } = await db.query({ name, text, values: [...arrays, Date.now() + ahead], rowMode: 'array' });
    const byKey = new Map((rows as unknown as Row[]).map((row) => [row[0], row]));
    for (const [place, { key, answer, found }] of batch.entries()) {
      const row = byKey.get(key ?? String(place + 1));
      answer(row ? found(row) : otherwise);
    }
    isUnderWay = waiting.length > 0;
    if (isUnderWay) begin();
  }
  return (one) => {
    waiting.push(one);
    if (isUnderWay) return;
    isUnderWay = true;
    begin();
  };
}

const clientCredentials = {
  name: 'client-credentials',
  text: `insert into access_tokens (digest, expires_at)
    select g.digest, $4::bigint from unnest($1::text[], $2::text[], $3::text[]) as g (client_id, secret_digest, digest)
    join clients c on c.client_id = g.client_id and c.secret_digest = g.secret_digest
    returning digest`,
  ahead: 3_600_000,
  otherwise: refused,
};

const pushed = {
  name: 'pushed',
  text: `insert into pushed (digest, client, parameters, expires_at)
    select g.digest, c.id, g.parameters, $5::bigint
    from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as g (client_id, secret_digest, digest, parameters)
    join clients c on c.client_id = g.client_id and c.secret_digest = g.secret_digest
    returning digest`,
  ahead: 90_000,
  otherwise: refused,
};

const registration = {
  name: 'registration',
  text: `insert into clients (client_id, secret_digest, metadata)
    select g.client_id, g.secret_digest, g.metadata
    from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as g (registrar, client_id, secret_digest, metadata)
    join registrars r on r.digest = g.registrar and r.expires_at > $5::bigint
    returning client_id`,
  ahead: 0,
  otherwise: refused,
};

/** Tokens of one client are asked about by another. */
const introspection = {
  name: 'introspection',
  text: `select g.place, o.client_id, f.user_id, t.expires_at
    from unnest($1::text[], $2::text[], $3::bigint[], $4::text[])
      with ordinality as g (client_id, secret_digest, token, digest, place)
    join clients a on a.client_id = g.client_id and a.secret_digest = g.secret_digest
    left join access_tokens t on t.id = g.token and t.digest = g.digest and t.expires_at > $5::bigint
    left join families f on f.id = t.family
    left join clients o on o.id = f.client`,
  ahead: 0,
  otherwise: refused,
};

const userinfo = {
  name: 'userinfo',
  text: `select g.place, u.id, u.email, u.firstname, u.lastname
    from unnest($1::bigint[], $2::text[]) with ordinality as g (token, digest, place)
    join access_tokens t on t.id = g.token and t.digest = g.digest and t.expires_at > $3::bigint
    join families f on f.id = t.family
    join users u on u.id = f.user_id`,
  ahead: 0,
  otherwise: answered(401, { error: 'invalid_token' }),
};

/** A token for registrations, and an access token of each family. */
async function seed(db: pg.Client, families: number) {
  const registrationToken = newToken();
  const tomorrow = Date.now() + 86_400_000;
  await db.query(`
    create table registrars (digest text primary key, expires_at bigint);
    create table pushed (digest text primary key, client bigint, parameters text, expires_at bigint)`);
  await db.query('insert into registrars values ($1, $2)', [digestOf(registrationToken), tomorrow]);
  const secrets = Array.from({ length: families }, newToken);
  const { rows } = await db.query<{ id: string }>(
    `insert into access_tokens (family, digest, expires_at)
      select n, digest, $2 from unnest($1::text[]) with ordinality as t (digest, n) order by n returning id`,
    [secrets.map(digestOf), tomorrow],
  );
  return { registrationToken, accessTokens: secrets.map((secret, index) => `${rows[index]?.id}.${secret}`) };
}

/** The floors by path, and what their callers present. Makes the tables that `floor-postgres.ts` does not need. */
export async function openPostgresFloors(db: pg.Client, families: number, jwks: object) {
  const issue = together(db, clientCredentials);
  const push = together(db, pushed);
  const register = together(db, registration);
  const introspect = together(db, introspection);
  const tell = together(db, userinfo);
  const jwksText = JSON.stringify(jwks);
  const floors: Readonly<Record<string, Floor>> = {
    '/client-credentials': ({ authorization }, answer) => {
      const access_token = newToken();
      const key = digestOf(access_token);
      const body = { access_token, token_type: 'Bearer', expires_in: 3600, scope };
      issue({ values: [...basicOf(authorization), key], key, answer, found: () => answered(200, body) });
    },
    '/pushed': ({ authorization, body }, answer) => {
      const secret = newToken();
      const key = digestOf(secret);
      const parameters = JSON.stringify(Object.fromEntries(new URLSearchParams(body)));
      const found = () => answered(201, { request_uri: `urn:ietf:params:oauth:request_uri:${secret}`, expires_in: 90 });
      push({ values: [...basicOf(authorization), key, parameters], key, answer, found });
    },
    '/registration': ({ authorization, body }, answer) => {
      const metadata: object = JSON.parse(body);
      const [key, client_secret] = [randomBytes(16).toString('hex'), newToken()];
      const values = [digestOf(bearerOf(authorization)), key, digestOf(client_secret), JSON.stringify(metadata)];
      const client = { client_id: key, client_secret, client_secret_expires_at: 0, ...metadata };
      register({ values, key, answer, found: () => answered(201, client) });
    },
    '/introspection': ({ authorization, body }, answer) => {
      const token = tokenOf(new URLSearchParams(body).get('token') ?? '');
      const found = ([, client_id, sub, expires]: Row) => {
        const exp = Math.floor(Number(expires) / 1000);
        return answered(
          200,
          sub ? { active: true, scope, client_id, token_type: 'Bearer', exp, sub } : { active: false },
        );
      };
      introspect({ values: [...basicOf(authorization), ...token], key: null, answer, found });
    },
    '/userinfo': ({ authorization }, answer) => {
      const token = tokenOf(bearerOf(authorization));
      const found = ([, sub, email, given_name, family_name]: Row) =>
        answered(200, { sub, email, name: `${given_name} ${family_name}`, given_name, family_name });
      tell({ values: token, key: null, answer, found });
    },
    '/jwks': (_asked, answer) => answer({ status: 200, text: jwksText }),
  };
  return { floors, ...(await seed(db, families)) };
}
