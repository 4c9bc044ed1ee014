/**
 * Passwords of the floors on PostgreSQL, delegated authentication, and the sign-in by form: what `floor-passwords.ts` and
 * `floor-sign-ins.ts` are on SQLite. An attempt is read and counted by one statement, before the hash, and its end is
 * written by another one.
 */

import { verify } from '@node-rs/argon2';
import type { Person } from './floor-bodies.ts';
import { type AskedCode, locationWith, readCodeRequest, sessionMilliseconds } from './floor-code-requests.ts';
import { delegatedFloor } from './floor-delegated.ts';
import { type Floors, newToken } from './floor-parts.ts';
import { mostAttempts, passwordDigest, passwordEmails } from './floor-passwords.ts';
import { addConsents, allows, type Coded, intoCodes, judgeCodes, ofCode, whoSends } from './floor-postgres-sessions.ts';
import { columnsOf, type Database, type Statement, together } from './floor-postgres-together.ts';
import { signInFloors } from './floor-sign-ins.ts';
import { digestOf } from './peer.ts';

interface Attempt {
  readonly email: string;
  /** Of the API key; null: none is needed. */
  readonly keyDigest: string | null;
}

interface Someone extends Person {
  readonly id: string;
  readonly passwordDigest: string;
}

interface SignedIn extends Coded {
  readonly client: number | string;
  readonly person: string;
  /** Of the session. */
  readonly secretDigest: string;
}

/** The condition of `g` is always true; for the planner it leaves one row of the batch. */
const countAttempts: Statement<Attempt, Someone | null> = {
  name: 'attempts',
  text: `with g as materialized (
      select g.* from unnest($1::text[], $2::text[]) as g (email, key_digest)
      where coalesce(email, '') = email
        and (key_digest is null or exists (select from api_keys k where k.digest = g.key_digest offset 0))
    )
    update people p set invalid_login_attempts = invalid_login_attempts + 1 from g
    where p.email = g.email and p.invalid_login_attempts < ${mostAttempts}
    returning p.id, p.email, p.firstname, p.lastname, p.password_digest, g.key_digest`,
  values: (batch) => columnsOf(batch, 'email', 'keyDigest'),
  judge: (rows) => {
    const people = new Map(rows.map((row) => [row[1], row]));
    return ({ email, keyDigest }) => {
      const [id, , firstname = null, lastname = null, digest, askedBy] = people.get(email) ?? [];
      // What was counted once is one attempt.
      people.delete(email);
      if (typeof id !== 'string' || typeof digest !== 'string' || askedBy !== keyDigest) return null;
      return { id, email, firstname, lastname, passwordDigest: digest };
    };
  },
};

const noted = 'update people p set invalid_login_attempts = 0, last_login = $1::bigint';

const noteSignIns: Statement<Someone, void> = {
  name: 'note-sign-ins',
  text: `with g as materialized (
      select id from unnest($2::bigint[]) as t (id) where coalesce(id, 0) = id
    )
    ${noted} from g where p.id = g.id`,
  values: (batch) => [Date.now(), ...columnsOf(batch, 'id')],
  judge: () => () => {},
};

/** The row of the client of each request; null for one that it may not send. */
const readRequests: Statement<AskedCode, string | null> = {
  name: 'sign-in',
  text: `select g.client_id, g.redirect_uri, c.id
    from unnest($1::text[], $2::text[]) as g (client_id, redirect_uri) ${whoSends}`,
  values: (batch) => columnsOf(batch, 'clientId', 'redirectUri'),
  judge: (rows) => {
    const clients = new Map(rows.map(([clientId, redirectUri, id]) => [`${clientId} ${redirectUri}`, id]));
    return ({ clientId, redirectUri }) => clients.get(`${clientId} ${redirectUri}`) ?? null;
  },
};

const finishSignIns: Statement<SignedIn, boolean> = {
  name: 'sign-in-form',
  text: `with g as materialized (
      select * from unnest($2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
        as t (client, person, secret_digest, digest, scope, redirect_uri, challenge)
      where coalesce(person, 0) = person
    ), noted as (
      ${noted} from g where p.id = g.person
    ), opened as (
      insert into sessions (digest, user_id, expires_at)
      select secret_digest, person, $1::bigint + ${sessionMilliseconds} from g returning id, digest
    )
    ${intoCodes} select g.client, g.person, s.id, ${ofCode} from g join opened s on s.digest = g.secret_digest
    ${allows('g.person', 'g.client')}
    returning digest`,
  values: (batch) => [
    Date.now(),
    ...columnsOf(batch, 'client', 'person', 'secretDigest', 'digest', 'scope', 'redirectUri', 'challenge'),
  ],
  judge: judgeCodes,
};

/** Users who have the password and have consented to the client, and an API key. */
async function seed(db: Database, apiKey: string): Promise<void> {
  await db.seeding.query('create table api_keys (digest text primary key, name text)');
  await db.seeding.query(`insert into api_keys values ($1, 'bench')`, [digestOf(apiKey)]);
  const { rows } = await db.seeding.query<{ id: string }>(
    `insert into people (email, firstname, lastname, status, state, invalid_login_attempts, created_at, updated_at,
        password_digest)
      select email, 'Ada', 'Lovelace', 1, 1, 0, $2::bigint, $2::bigint, $3 from unnest($1::text[]) as t (email)
      returning id`,
    [passwordEmails, Date.now(), await passwordDigest()],
  );
  await addConsents(
    db,
    rows.map(({ id }) => id),
  );
}

/** The tables of users and sessions are there. Answers an API key too. */
export async function openPostgresPasswords(
  db: Database,
): Promise<{ readonly floors: Floors; readonly apiKey: string }> {
  const apiKey = newToken();
  await seed(db, apiKey);
  const countAttempt = together(db, countAttempts);
  const note = together(db, noteSignIns);
  const read = together(db, readRequests);
  const finish = together(db, finishSignIns);
  const check = (attempt: Attempt, password: string, done: (person: Someone | null) => void): void =>
    countAttempt(attempt, async (person) => {
      done(person && (await verify(person.passwordDigest, password)) ? person : null);
    });
  const signIns = signInFloors<Someone>({
    read: (query, done) => {
      const asked = readCodeRequest(query);
      if (asked) read(asked, (client) => done(client === null ? null : { ...asked, client }));
      else done(null);
    },
    check: (email, password, done) => check({ email, keyDigest: null }, password, done),
    finish: (asked, { id }, done) => {
      const [code, secret] = [newToken(), newToken()];
      const row = { ...asked, person: id, secretDigest: digestOf(secret), digest: digestOf(code) };
      finish(row, (isGiven) => done(isGiven ? { location: locationWith(code, asked), secret } : null));
    },
  });
  const delegated = delegatedFloor<Someone>({
    check: (key, email, password, done) => check({ email, keyDigest: digestOf(key) }, password, done),
    note,
  });
  return { floors: { ...signIns, delegated }, apiKey };
}
