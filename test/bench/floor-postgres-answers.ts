/** The floors on PostgreSQL of those requests of `floor-answers.ts`. */

import { randomBytes } from 'node:crypto';
import { bearerOf, pushedBody, registeredBody, tokenBody } from './floor-bodies.ts';
import { accessClaims, answered, type Floors, newToken, signAccessToken, unauthenticated } from './floor-parts.ts';
import * as statements from './floor-postgres-statements.ts';
import { askingOf, type Database, presentedOf, type Signing, together } from './floor-postgres-together.ts';
import { digestOf } from './peer.ts';

/** A token for registrations, and an access token of each family. */
async function seed(db: Database, families: number) {
  const registrationToken = newToken();
  const tomorrow = Date.now() + 86_400_000;
  await db.seeding.query(`
    create table registrars (digest text primary key, expires_at bigint);
    create table pushed (digest text primary key, client bigint, parameters text, expires_at bigint)`);
  await db.seeding.query('insert into registrars values ($1, $2)', [digestOf(registrationToken), tomorrow]);
  const secrets = Array.from({ length: families }, newToken);
  const { rows } = await db.seeding.query<{ id: string }>(
    `insert into access_tokens (family, digest, expires_at)
      select n, digest, $2 from unnest($1::text[]) with ordinality as t (digest, n) order by n returning id`,
    [secrets.map(digestOf), tomorrow],
  );
  return { registrationToken, accessTokens: secrets.map((secret, index) => `${rows[index]?.id}.${secret}`) };
}

/** The floors, and what their callers present. Makes the tables that `floor-postgres.ts` does not need. */
export async function openPostgresAnswers(db: Database, signing: Signing, families: number) {
  const issue = together(db, statements.clientCredentials);
  const issueSigned = together(db, statements.signedClientCredentials, signing);
  const push = together(db, statements.pushed);
  const register = together(db, statements.registration);
  const introspect = together(db, statements.introspection);
  const tell = together(db, statements.userinfo);
  const floors: Floors = {
    'client-credentials': ({ headers, reply }) => {
      const access_token = newToken();
      const row = { digest: digestOf(access_token), answer: tokenBody(access_token) };
      issue({ ...askingOf(headers.authorization), ...row }, reply);
    },
    'client-credentials-jwt': ({ headers, reply }) => {
      const asking = askingOf(headers.authorization);
      issueSigned(asking, (isKnown) => {
        if (!isKnown) {
          reply(unauthenticated);
          return;
        }
        const replySigned = signing.until(reply);
        signAccessToken(accessClaims({ client_id: asking.clientId }, asking.clientId, 'orders'), (access_token) =>
          replySigned(answered(200, tokenBody(access_token, 'orders'))),
        );
      });
    },
    pushed: ({ headers, body, reply }) => {
      const secret = newToken();
      const parameters = JSON.stringify(Object.fromEntries(new URLSearchParams(body)));
      const row = { digest: digestOf(secret), parameters, answer: pushedBody(secret) };
      push({ ...askingOf(headers.authorization), ...row }, reply);
    },
    registration: ({ headers, body, reply }) => {
      const given: object = JSON.parse(body);
      const [client_id, client_secret] = [randomBytes(16).toString('hex'), newToken()];
      const row = { clientId: client_id, secretDigest: digestOf(client_secret), metadata: JSON.stringify(given) };
      const client = registeredBody(client_id, client_secret, given);
      register({ ...row, registrar: digestOf(bearerOf(headers.authorization)), answer: client }, reply);
    },
    introspection: ({ headers, body, reply }) => {
      const token = presentedOf(new URLSearchParams(body).get('token') ?? '');
      introspect({ ...askingOf(headers.authorization), ...token }, reply);
    },
    userinfo: ({ headers, reply }) => tell(presentedOf(bearerOf(headers.authorization)), reply),
  };
  return { floors, ...(await seed(db, families)) };
}
