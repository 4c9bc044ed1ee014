/**
 * The floor of a refresh on PostgreSQL: what `floor.ts` is on SQLite. One statement, prepared, does all that a batch
 * asks of the database: it finds the clients and checks their secrets, rotates the families, adds the access tokens,
 * and reads the users. Its commit is as durable as the server is. While it runs, and while signatures wait for a
 * thread, the next batch gathers. No validation, no logs, no metrics, no grace: it is a measure and no product. The
 * other requests are in `floor-postgres-answers.ts`.
 *
 *     DATABASE_URL=… node test/bench/floor-postgres.ts <families>
 */
import { createServer, type ServerResponse } from 'node:http';
import pg from 'pg';
import { basicOf, tokenBody } from './floor-bodies.ts';
import { type Answered, newToken, signIdToken } from './floor-parts.ts';
import { openPostgresFloors } from './floor-postgres-answers.ts';
import { benchUser, digestOf, serveParent } from './peer.ts';

const [families = '0'] = process.argv.slice(2);

const db = new pg.Client({ connectionString: process.env['DATABASE_URL'] });
await db.connect();
// Statements are planned while their tables are small, and these grow: no plan reads a whole table.
await db.query(`
  set synchronous_commit to on;
  set enable_seqscan to off;
  create table clients (id bigint generated always as identity (cache 100) primary key, client_id text unique,
    secret_digest text, metadata text);
  create table users (id bigint primary key, email text, firstname text, lastname text);
  create table families (id bigint primary key, client bigint, user_id bigint, current text, previous text,
    generation bigint, expires_at bigint) with (fillfactor = 50);
  create table access_tokens (id bigint generated always as identity (cache 100) primary key, family bigint,
    digest text, expires_at bigint)`);

/** Parameters 1–6: the batch; 7 and 8: when its families and access tokens expire. */
const rotate = {
  name: 'rotate',
  text: `with given as materialized (
      select * from unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[])
        as t (client_id, secret_digest, family, presented, successor, access_digest)
      where coalesce(family, 0) = family
    ), rotated as (
      update families f set previous = f.current, current = g.successor, generation = f.generation + 1,
        expires_at = $7
      from given g join clients c on c.client_id = g.client_id and c.secret_digest = g.secret_digest
      where f.id = g.family and f.client = c.id and f.current = g.presented
      returning f.id, f.user_id, g.access_digest
    ), added as (
      insert into access_tokens (family, digest, expires_at) select id, access_digest, $8 from rotated
    )
    select r.id, u.id, u.email, u.firstname, u.lastname from rotated r join users u on u.id = r.user_id`,
  rowMode: 'array',
} as const;

type Rotated = readonly [family: string, user: string, email: string, firstname: string, lastname: string];

const clientId = 'floor';
const clientSecret = newToken();
const refreshTokens = Array.from({ length: Number(families) }, (_, index) => `${index + 1}.${newToken()}`);
await db.query('insert into clients (client_id, secret_digest) values ($1, $2)', [clientId, digestOf(clientSecret)]);
const people = refreshTokens.map((_, index) => benchUser(index + 1));
await db.query(
  `insert into users select n, email, firstname, lastname
    from unnest($1::text[], $2::text[], $3::text[]) with ordinality as t (email, firstname, lastname, n)`,
  [people.map(({ email }) => email), people.map(({ firstname }) => firstname), people.map(({ lastname }) => lastname)],
);
await db.query(
  'insert into families select n, 1, n, digest, null, 0, 0 from unnest($1::text[]) with ordinality as t (digest, n)',
  [refreshTokens.map((token) => digestOf(secretOf(token)))],
);
const { floors, accessTokens, registrationToken } = await openPostgresFloors(db, refreshTokens.length);
await db.query('analyze');

interface Exchange {
  readonly res: ServerResponse;
  readonly clientId: string;
  readonly secretDigest: string;
  readonly family: number;
  readonly presented: string;
  readonly successor: string;
  readonly accessToken: string;
  readonly accessDigest: string;
}

function secretOf(token: string): string {
  return token.slice(token.indexOf('.') + 1);
}

let waiting: Exchange[] = [];
let isRunning = false;
let isScheduled = false;
let signing = 0;

/** Few enough that they are signed while the next batch is in the database. */
const fewSignatures = 4;

function schedule(): void {
  if (isScheduled || isRunning || waiting.length === 0 || signing > fewSignatures) return;
  isScheduled = true;
  setImmediate(() => {
    isScheduled = false;
    void rotateAll();
  });
}

async function rotateAll(): Promise<void> {
  const batch = waiting;
  waiting = [];
  isRunning = true;
  const now = Date.now();
  const { rows } = await db.query<Rotated[]>({
    ...rotate,
    values: [
      batch.map((one) => one.clientId),
      batch.map(({ secretDigest }) => secretDigest),
      batch.map(({ family }) => family),
      batch.map(({ presented }) => presented),
      batch.map(({ successor }) => digestOf(successor)),
      batch.map(({ accessDigest }) => accessDigest),
      now + 1_209_600_000,
      now + 3_600_000,
    ],
  });
  isRunning = false;
  const found = new Map((rows as unknown as Rotated[]).map((row) => [Number(row[0]), row]));
  for (const one of batch) answer(one, found.get(one.family));
  schedule();
}

function answer({ res, family, successor, accessToken, accessDigest }: Exchange, row: Rotated | undefined): void {
  if (!row) {
    send(res, 400, { error: 'invalid_grant' });
    return;
  }
  const [, sub, email, given_name, family_name] = row;
  const iat = Math.floor(Date.now() / 1000);
  const at_hash = Buffer.from(accessDigest, 'base64url').subarray(0, 16).toString('base64url');
  const name = { name: `${given_name} ${family_name}`, given_name, family_name };
  const claims = { iss: 'http://floor', aud: clientId, sub, email, ...name };
  const tokens = tokenBody(accessToken);
  signing += 1;
  signIdToken('RS256', { ...claims, iat, exp: iat + 3600, auth_time: iat, at_hash }, (idToken) => {
    signing -= 1;
    send(res, 200, { ...tokens, refresh_token: `${family}.${successor}`, id_token: idToken });
    schedule();
  });
}

function send(res: ServerResponse, status: number, body: object): void {
  sendText(res, { status, text: JSON.stringify(body) });
}

function sendText(res: ServerResponse, { status, text }: Answered): void {
  const length = Buffer.byteLength(text);
  res.writeHead(status, { 'content-type': 'application/json', 'content-length': length, 'cache-control': 'no-store' });
  res.end(text);
}

function refresh(res: ServerResponse, authorization: string, body: string): void {
  const form = new URLSearchParams(body);
  const [id, secret] = basicOf(authorization);
  if (form.get('grant_type') !== 'refresh_token') {
    send(res, 400, { error: 'invalid_request' });
    return;
  }
  const presented = form.get('refresh_token') ?? '';
  const accessToken = newToken();
  waiting.push({
    res,
    clientId: id,
    secretDigest: digestOf(secret),
    family: Number.parseInt(presented, 10),
    presented: digestOf(secretOf(presented)),
    successor: newToken(),
    accessToken,
    accessDigest: digestOf(accessToken),
  });
  schedule();
}

const server = createServer((req, res) => {
  let body = '';
  req.setEncoding('latin1').on('data', (chunk: string) => {
    body += chunk;
  });
  req.on('end', () => {
    const { authorization = '' } = req.headers;
    const floor = floors[req.url ?? ''];
    if (floor) floor({ authorization, body }, (answered) => sendText(res, answered));
    else refresh(res, authorization, body);
  });
});
const { rows: said } = await db.query<{ server_version: string }>('show server_version');
const storage = `PostgreSQL ${said[0]?.server_version}`;
await serveParent(server, (port) => {
  return { port, storage, clientId, clientSecret, refreshTokens, accessTokens, registrationToken };
});
