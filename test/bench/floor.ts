/**
 * The floors: the least that requests can be, so as to see what the rest costs. Plain node:http, signatures on the
 * thread pool, prepared statements, one commit for all who wait, one row per family of refresh tokens. No validation, no
 * logs, no metrics, no grace, no trail: it is a measure and no product. Each request has its floor in a file beside this
 * one.
 *
 *     node test/bench/floor.ts <folder> <families>
 */
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { openAnswerFloors } from './floor-answers.ts';
import { documentFloors } from './floor-documents.ts';
import { type Floors, newToken, openClients, openCommits } from './floor-parts.ts';
import { openDelegatedFloor, openPasswords, passwordEmails } from './floor-passwords.ts';
import { openFloorServer } from './floor-server.ts';
import { openCodes, openSessionFloors } from './floor-sessions.ts';
import { openSignInFloors } from './floor-sign-ins.ts';
import { floorTargets } from './floor-targets.ts';
import { openTokenFloors } from './floor-tokens.ts';
import { openUserFloors } from './floor-users.ts';
import { benchUser, digestOf, durableStorage, makeDurable, serveParent } from './peer.ts';

const [folder = '.', families = '0'] = process.argv.slice(2);
const users = Number(families);
/** Of each kind of refresh that is not the usual one. */
const fewUsers = Math.min(256, users);

const db = new Sqlite(join(folder, 'floor.db'));
makeDurable(db);
db.exec(`
  create table clients (id integer primary key, client_id text unique, secret_digest text, metadata text) strict;
  create table users (id integer primary key, email text, firstname text, lastname text) strict;
  create table families (id integer primary key, client integer, user integer, current text, previous text,
    generation integer, expires_at integer) strict;
  create table access_tokens (id integer primary key, family integer, digest text, expires_at integer) strict`);

const clientId = 'floor';
const clientSecret = newToken();
const metadata = JSON.stringify({ redirect_uris: ['https://app.example.com/callback'] });
db.prepare('insert into clients values (1, ?, ?, ?)').run(clientId, digestOf(clientSecret), metadata);
const addUser = db.prepare('insert into users (email, firstname, lastname) values (?, ?, ?)');
const addFamily = db.prepare(
  'insert into families (client, user, current, generation, expires_at) values (1, ?, ?, 0, 0)',
);
const addToken = db.prepare('insert into access_tokens (family, digest, expires_at) values (?, ?, ?)');

/** Refresh tokens of the first users. */
const seedFamilies = db.transaction((count: number) =>
  Array.from({ length: count }, (_, index) => {
    const token = newToken();
    return `${addFamily.run(index + 1, digestOf(token)).lastInsertRowid}.${token}`;
  }),
);
const seedUsers = db.transaction(() => {
  for (let number = 1; number <= users; number += 1) {
    const { email, firstname, lastname } = benchUser(number);
    addUser.run(email, firstname, lastname);
  }
});
seedUsers();
const refreshTokens = seedFamilies(users);
const accessTokens = db.transaction(() =>
  refreshTokens.map((_, index) => {
    const token = newToken();
    return `${addToken.run(index + 1, digestOf(token), Date.now() + 86_400_000).lastInsertRowid}.${token}`;
  }),
)();
const registrationToken = newToken();

const commitLater = openCommits(db);
const clientOf = openClients(db);
const tokens = openTokenFloors(db, commitLater, clientOf);
const codes = openCodes(db);
const visits = openSessionFloors(db, commitLater, clientOf, codes, tokens.start, fewUsers);
const people = openUserFloors(db, commitLater, users);
const passwords = await openPasswords(db, commitLater);
const delegated = openDelegatedFloor(db, commitLater, passwords);
const floors: Floors = {
  ...tokens.floors,
  ...visits.floors,
  ...people.floors,
  delegated: delegated.floor,
  ...openSignInFloors(commitLater, codes, passwords),
  ...openAnswerFloors(db, commitLater, clientOf, registrationToken),
  ...documentFloors,
};

const server = openFloorServer(floors);
const storage = durableStorage(db);
const known = { clientId, clientSecret, sessions: visits.sessions, bearer: people.bearer, users };
const targets = floorTargets({
  ...known,
  refreshTokens: [seedFamilies(fewUsers), seedFamilies(fewUsers), seedFamilies(fewUsers)],
  apiKey: delegated.apiKey,
  emails: passwordEmails,
});
await serveParent(server, (port) => {
  return { port, storage, clientId, clientSecret, refreshTokens, accessTokens, registrationToken, targets };
});
