/**
 * The floors on PostgreSQL: what `floor.ts` is on SQLite. One statement, prepared, does all that a batch of requests of a
 * kind asks of the database: a refresh's finds the clients and checks their secrets, rotates the families, adds the access
 * tokens, and reads the users. Its commit is as durable as the server is. No validation, no logs, no metrics, no grace: it
 * is a measure and no product. Each request has its floor in a file beside this one (`floor-postgres-*.ts`).
 *
 *     DATABASE_URL=… node test/bench/floor-postgres.ts <families>
 */
import { documentFloors } from './floor-documents.ts';
import { type Floors, newToken } from './floor-parts.ts';
import { passwordEmails } from './floor-passwords.ts';
import { openPostgresAnswers } from './floor-postgres-answers.ts';
import { openPostgresPasswords } from './floor-postgres-passwords.ts';
import { openPostgresSessions } from './floor-postgres-sessions.ts';
import { columnsOf, openDatabase, openSigning } from './floor-postgres-together.ts';
import { openPostgresTokens } from './floor-postgres-tokens.ts';
import { openPostgresUsers } from './floor-postgres-users.ts';
import { openFloorServer } from './floor-server.ts';
import { floorTargets } from './floor-targets.ts';
import { benchUser, digestOf, serveParent } from './peer.ts';

const [families = '0'] = process.argv.slice(2);
const users = Number(families);
/** Of each kind of refresh that is not the usual one. */
const fewUsers = Math.min(256, users);

const db = await openDatabase(process.env['DATABASE_URL']);
await db.seeding.query(`
  create table clients (id bigint generated always as identity (cache 100) primary key, client_id text unique,
    secret_digest text, metadata text);
  create table users (id bigint primary key, email text, firstname text, lastname text);
  create sequence family_ids cache 100;
  create table families (id bigint primary key default nextval('family_ids'), client bigint, user_id bigint,
    current text, previous text, generation bigint, expires_at bigint) with (fillfactor = 50);
  create table access_tokens (id bigint generated always as identity (cache 100) primary key, family bigint,
    digest text, expires_at bigint)`);

const clientId = 'floor';
const clientSecret = newToken();
const metadata = JSON.stringify({ redirect_uris: ['https://app.example.com/callback'] });
const client = [clientId, digestOf(clientSecret), metadata];
await db.seeding.query('insert into clients (client_id, secret_digest, metadata) values ($1, $2, $3)', client);
await db.seeding.query(
  `insert into users select n, email, firstname, lastname
    from unnest($1::text[], $2::text[], $3::text[]) with ordinality as t (email, firstname, lastname, n)`,
  columnsOf(
    Array.from({ length: users }, (_, index) => benchUser(index + 1)),
    ...(['email', 'firstname', 'lastname'] as const),
  ),
);

/** Refresh tokens of the first users. */
async function seedFamilies(count: number): Promise<readonly string[]> {
  const secrets = Array.from({ length: count }, newToken);
  const { rows } = await db.seeding.query<{ id: string }>(
    `insert into families (client, user_id, current, generation, expires_at)
      select 1, n, digest, 0, 0 from unnest($1::text[]) with ordinality as t (digest, n) order by n returning id`,
    [secrets.map(digestOf)],
  );
  return secrets.map((secret, index) => `${rows[index]?.id}.${secret}`);
}

const refreshTokens = await seedFamilies(users);
const signing = openSigning();
const answers = await openPostgresAnswers(db, signing, users);
const { accessTokens, registrationToken } = answers;
const visits = await openPostgresSessions(db, fewUsers);
const people = await openPostgresUsers(db, users);
const passwords = await openPostgresPasswords(db);
const floors: Floors = {
  ...(await openPostgresTokens(db, signing)),
  code: visits.floor,
  ...people.floors,
  ...passwords.floors,
  ...answers.floors,
  ...documentFloors,
};
const known = { clientId, clientSecret, sessions: visits.sessions, bearer: people.bearer, users };
const targets = floorTargets({
  ...known,
  refreshTokens: [await seedFamilies(fewUsers), await seedFamilies(fewUsers), await seedFamilies(fewUsers)],
  apiKey: passwords.apiKey,
  emails: passwordEmails,
});
await db.seeding.query('analyze');

const server = openFloorServer(floors);
const { rows: said } = await db.seeding.query<{ server_version: string }>('show server_version');
const storage = `PostgreSQL ${said[0]?.server_version}`;
await serveParent(server, (port) => {
  return { port, storage, clientId, clientSecret, refreshTokens, accessTokens, registrationToken, targets };
});
