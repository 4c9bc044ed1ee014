/**
 * The floor: the least that a durable refresh exchange with a signed id token can be, so as to see what the rest
 * costs. Plain node:http, signatures on the thread pool, prepared statements, one commit for all who wait, one row per
 * family of refresh tokens. No validation, no logs, no metrics, no grace: it is a measure and no product. The other
 * requests are in `floor-answers.ts`.
 *
 *     node test/bench/floor.ts <folder> <families>
 */
import { createPublicKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { type Answered, openFloors, type Work } from './floor-answers.ts';
import { benchUser, digestOf, durableStorage, makeDurable, scope, serveParent } from './peer.ts';

const [folder = '.', families = '0'] = process.argv.slice(2);
const newToken = () => randomBytes(32).toString('base64url');
const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
const { privateKey: key } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const header = encode({ alg: 'RS256', kid: 'floor', typ: 'JWT' });

const db = new Sqlite(join(folder, 'floor.db'));
makeDurable(db);
db.exec(`
  create table clients (id integer primary key, client_id text unique, secret_digest text, metadata text) strict;
  create table users (id integer primary key, email text, firstname text, lastname text) strict;
  create table families (id integer primary key, client integer, user integer, current text, previous text,
    generation integer, expires_at integer) strict;
  create table access_tokens (id integer primary key, family integer, digest text, expires_at integer) strict`);
const findClient = db.prepare<[string], { id: number; secret_digest: string }>(
  'select id, secret_digest from clients where client_id = ?',
);
const findUser = db.prepare<[number], { id: number; email: string; firstname: string; lastname: string }>(
  'select * from users where id = ?',
);
const rotate = db.prepare<[string, number, number, number, string], { user: number }>(
  `update families set previous = current, current = ?, generation = generation + 1, expires_at = ?
    where id = ? and client = ? and current = ? returning user`,
);
const addToken = db.prepare<[number, string, number]>(
  'insert into access_tokens (family, digest, expires_at) values (?, ?, ?)',
);

const clientId = 'floor';
const clientSecret = newToken();
const addUser = db.prepare('insert into users (email, firstname, lastname) values (?, ?, ?)');
const addFamily = db.prepare('insert into families values (?, 1, ?, ?, null, 0, 0)');
const seed = db.transaction((count: number) => {
  db.prepare('insert into clients values (1, ?, ?, null)').run(clientId, digestOf(clientSecret));
  return Array.from({ length: count }, (_, index) => {
    const { email, firstname, lastname } = benchUser(index + 1);
    const token = newToken();
    addFamily.run(index + 1, addUser.run(email, firstname, lastname).lastInsertRowid, digestOf(token));
    return `${index + 1}.${token}`;
  });
});
const refreshTokens = seed(Number(families));
const accessTokens = db.transaction(() =>
  refreshTokens.map((_, index) => {
    const token = newToken();
    return `${addToken.run(index + 1, digestOf(token), Date.now() + 86_400_000).lastInsertRowid}.${token}`;
  }),
)();
const registrationToken = newToken();
const floors = openFloors(db, registrationToken, {
  keys: [{ ...createPublicKey(key).export({ format: 'jwk' }), alg: 'RS256', use: 'sig', kid: 'floor' }],
});

interface Exchange {
  readonly res: ServerResponse;
  readonly client: number;
  readonly presented: string;
}

/** What is done in the transaction; answers what follows its commit. */
type Waiting = () => () => void;

let waiting: Waiting[] = [];

/** All that came in one turn of the event loop, in one transaction; answers follow the commit. */
function commitAll(): void {
  const batch = waiting;
  waiting = [];
  db.exec('begin immediate');
  const answers = batch.map((write) => write());
  db.exec('commit');
  for (const answer of answers) answer();
}

function commitLater(write: Waiting): void {
  waiting.push(write);
  if (waiting.length === 1) setImmediate(commitAll);
}

function consume({ res, client, presented }: Exchange): () => void {
  const [family = '', secret = ''] = presented.split('.');
  const [successor, accessToken] = [newToken(), newToken()];
  const found = rotate.get(digestOf(successor), Date.now() + 1_209_600_000, Number(family), client, digestOf(secret));
  const user = found && findUser.get(found.user);
  if (!user) return () => send(res, 400, { error: 'invalid_grant' });
  addToken.run(Number(family), digestOf(accessToken), Date.now() + 3_600_000);
  const iat = Math.floor(Date.now() / 1000);
  const at_hash = Buffer.from(digestOf(accessToken), 'base64url').subarray(0, 16).toString('base64url');
  const name = { name: `${user.firstname} ${user.lastname}`, given_name: user.firstname, family_name: user.lastname };
  const claims = { iss: 'http://floor', aud: clientId, sub: String(user.id), email: user.email, ...name };
  const input = `${header}.${encode({ ...claims, iat, exp: iat + 3600, auth_time: iat, at_hash })}`;
  const tokens = { access_token: accessToken, token_type: 'Bearer', expires_in: 3600, scope };
  return () =>
    sign('sha256', Buffer.from(input), key, (error, signature) => {
      if (error) throw error;
      const idToken = `${input}.${signature.toString('base64url')}`;
      send(res, 200, { ...tokens, refresh_token: `${family}.${successor}`, id_token: idToken });
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

function answerWith(res: ServerResponse, work: Work): void {
  if ('answer' in work) sendText(res, work.answer);
  else {
    commitLater(() => {
      const answered = work.write();
      return () => sendText(res, answered);
    });
  }
}

function answer(req: IncomingMessage, res: ServerResponse, body: string): void {
  const floor = floors[req.url ?? ''];
  if (floor) answerWith(res, floor({ authorization: req.headers.authorization ?? '', body }));
  else refresh(req, res, body);
}

function refresh(req: IncomingMessage, res: ServerResponse, body: string): void {
  const form = new URLSearchParams(body);
  const basic = Buffer.from(req.headers.authorization?.slice('Basic '.length) ?? '', 'base64').toString();
  const [id = '', secret = ''] = basic.split(':');
  const client = findClient.get(id);
  if (client?.secret_digest !== digestOf(secret) || form.get('grant_type') !== 'refresh_token') {
    send(res, 400, { error: 'invalid_request' });
    return;
  }
  const exchange = { res, client: client.id, presented: form.get('refresh_token') ?? '' };
  commitLater(() => consume(exchange));
}

const server = createServer((req, res) => {
  let body = '';
  req.setEncoding('latin1').on('data', (chunk: string) => {
    body += chunk;
  });
  req.on('end', () => answer(req, res, body));
});
const storage = durableStorage(db);
await serveParent(server, (port) => {
  return { port, storage, clientId, clientSecret, refreshTokens, accessTokens, registrationToken };
});
