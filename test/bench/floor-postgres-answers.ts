/**
 * The floors on PostgreSQL of those requests of `floor-answers.ts` that sign nothing. One prepared statement
 * serves all requests of a kind that wait, the secrets of their clients included, and is their commit. While it is in
 * the database, the next ones gather.
 */

import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { basicOf, bearerOf, pushedBody, registeredBody, tokenBody } from './floor-bodies.ts';
import { type Answered, jwks, newToken } from './floor-parts.ts';
import * as statements from './floor-postgres-statements.ts';
import { digestOf } from './peer.ts';

/** What a request sent. */
interface Asked {
  readonly authorization: string;
  readonly body: string;
}

type Answer = (answered: Answered) => void;
type Floor = (asked: Asked, answer: Answer) => void;

function askingOf(authorization: string): statements.Asking {
  const [clientId, secret] = basicOf(authorization);
  return { clientId, secretDigest: digestOf(secret) };
}

function tokenOf(text: string): statements.Presented {
  const [id = '', secret = ''] = text.split('.');
  return { id: String(Number.parseInt(id, 10) || 0), digest: digestOf(secret) };
}

/** Sends the statement for all that wait, and then for those that came meanwhile. */
function together<Item>(
  db: pg.Client,
  { name, text, values, judge }: statements.Statement<Item>,
): (item: Item, answer: Answer) => void {
  let waiting: { readonly item: Item; readonly answer: Answer }[] = [];
  let isUnderWay = false;
  const begin = () => setImmediate(() => void run());
  async function run(): Promise<void> {
    const batch = waiting;
    waiting = [];
    const { rows } = await db.query({ name, text, values: values(batch.map(({ item }) => item)), rowMode: 'array' });
    const answerOf = judge(rows as unknown as statements.Row[]);
    for (const { item, answer } of batch) answer(answerOf(item));
    isUnderWay = waiting.length > 0;
    if (isUnderWay) begin();
  }
  return (item, answer) => {
    waiting.push({ item, answer });
    if (isUnderWay) return;
    isUnderWay = true;
    begin();
  };
}

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
export async function openPostgresFloors(db: pg.Client, families: number) {
  const issue = together(db, statements.clientCredentials);
  const push = together(db, statements.pushed);
  const register = together(db, statements.registration);
  const introspect = together(db, statements.introspection);
  const tell = together(db, statements.userinfo);
  const jwksText = JSON.stringify(jwks);
  const floors: Readonly<Record<string, Floor>> = {
    '/client-credentials': ({ authorization }, answer) => {
      const access_token = newToken();
      const row = { digest: digestOf(access_token), answer: tokenBody(access_token) };
      issue({ ...askingOf(authorization), ...row }, answer);
    },
    '/pushed': ({ authorization, body }, answer) => {
      const secret = newToken();
      const parameters = JSON.stringify(Object.fromEntries(new URLSearchParams(body)));
      const row = { digest: digestOf(secret), parameters, answer: pushedBody(secret) };
      push({ ...askingOf(authorization), ...row }, answer);
    },
    '/registration': ({ authorization, body }, answer) => {
      const given: object = JSON.parse(body);
      const [client_id, client_secret] = [randomBytes(16).toString('hex'), newToken()];
      const row = { clientId: client_id, secretDigest: digestOf(client_secret), metadata: JSON.stringify(given) };
      const client = registeredBody(client_id, client_secret, given);
      register({ ...row, registrar: digestOf(bearerOf(authorization)), answer: client }, answer);
    },
    '/introspection': ({ authorization, body }, answer) => {
      const token = tokenOf(new URLSearchParams(body).get('token') ?? '');
      introspect({ ...askingOf(authorization), ...token }, answer);
    },
    '/userinfo': ({ authorization }, answer) => tell(tokenOf(bearerOf(authorization)), answer),
    '/jwks': (_asked, answer) => answer({ status: 200, text: jwksText }),
  };
  return { floors, ...(await seed(db, families)) };
}
