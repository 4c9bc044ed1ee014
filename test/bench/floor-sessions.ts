/**
 * The floors of a visit of a browser with a session: an authorization request that is answered with a code, and its
 * exchange.
 */

import type Sqlite from 'better-sqlite3';
import {
  challengeOf,
  codeMilliseconds,
  cookieOf,
  type GrantedCode,
  locationWith,
  readCodeRequest,
  sessionMilliseconds,
} from './floor-code-requests.ts';
import {
  type CommitLater,
  type FindClient,
  type Floor,
  type Floors,
  newToken,
  refused,
  unauthenticated,
} from './floor-parts.ts';
import type { StartTokens } from './floor-tokens.ts';
import { digestOf, scope } from './peer.ts';

interface SessionRow {
  readonly id: number;
  readonly user: number;
  readonly expires_at: number;
}

interface CodeRow {
  readonly user: number;
  readonly redirect_uri: string;
  readonly challenge: string;
}

/** Sessions and codes of users who have consented to the client. */
export function openCodes(db: Sqlite.Database) {
  db.exec(`
    create table sessions (id integer primary key, digest text unique, user integer, expires_at integer) strict;
    create table consents (user integer, client integer, scope text, primary key (user, client)) strict, without rowid;
    create table codes (digest text primary key, client integer, user integer, session integer, scope text,
      redirect_uri text, challenge text, expires_at integer, used_at integer) strict, without rowid`);
  const findClient = db.prepare<[string], { id: number; metadata: string }>(
    'select id, metadata from clients where client_id = ?',
  );
  const findConsent = db.prepare<[number, number], { scope: string }>(
    'select scope from consents where user = ? and client = ?',
  );
  const addSession = db.prepare('insert into sessions (digest, user, expires_at) values (?, ?, ?)');
  const addConsent = db.prepare('insert into consents values (?, 1, ?)');
  const addCode = db.prepare('insert into codes values (?, ?, ?, ?, ?, ?, ?, ?, null)');
  return {
    /** Null for a request that the client may not send. */
    read: (query: string): GrantedCode | null => {
      const asked = readCodeRequest(query);
      const client = asked && findClient.get(asked.clientId);
      const isRegistered = client && JSON.parse(client.metadata).redirect_uris.includes(asked.redirectUri);
      return isRegistered ? { ...asked, client: client.id } : null;
    },
    consent: (user: number) => addConsent.run(user, scope),
    /** A new session, within a transaction; answers its secret and id. */
    open: (user: number): readonly [secret: string, id: number] => {
      const secret = newToken();
      const { lastInsertRowid } = addSession.run(digestOf(secret), user, Date.now() + sessionMilliseconds);
      return [secret, Number(lastInsertRowid)];
    },
    /** Where the browser goes with a new code, within a transaction; null without consent. */
    give: (asked: GrantedCode, user: number, session: number): string | null => {
      const { client, scope: wanted, redirectUri, challenge } = asked;
      const allowed = new Set(findConsent.get(user, Number(client))?.scope.split(' '));
      if (!wanted.split(' ').every((one) => allowed.has(one))) return null;
      const code = newToken();
      const until = Date.now() + codeMilliseconds;
      addCode.run(digestOf(code), client, user, session, wanted, redirectUri, challenge, until);
      return locationWith(code, asked);
    },
  };
}

export type Codes = ReturnType<typeof openCodes>;

/** One session for each of the users; answers their secrets. */
export function openSessionFloors(
  db: Sqlite.Database,
  commitLater: CommitLater,
  clientOf: FindClient,
  codes: Codes,
  start: StartTokens,
  users: number,
): { readonly floors: Floors; readonly sessions: readonly string[] } {
  const findSession = db.prepare<[string], SessionRow>(
    'select s.id, s.user, s.expires_at from sessions s join users u on u.id = s.user where s.digest = ?',
  );
  const useCode = db.prepare<[number, string, number, number], CodeRow>(
    `update codes set used_at = ? where digest = ? and client = ? and used_at is null and expires_at > ?
      returning user, redirect_uri, challenge`,
  );
  const sessions = db.transaction(() =>
    Array.from({ length: users }, (_, index) => {
      codes.consent(index + 1);
      return codes.open(index + 1)[0];
    }),
  )();

  const authorize: Floor = ({ headers, rest, reply }) => {
    const asked = codes.read(rest);
    const session = findSession.get(digestOf(cookieOf(headers, 'sid')));
    if (!asked || !session || session.expires_at <= Date.now()) {
      reply(refused('invalid_request'));
      return;
    }
    commitLater(() => {
      const location = codes.give(asked, session.user, session.id);
      return () => reply(location ? { status: 303, text: '', headers: { location } } : refused('access_denied'));
    });
  };

  const exchange: Floor = (asked) => {
    const form = Object.fromEntries(new URLSearchParams(asked.body));
    const client = clientOf(asked.headers.authorization);
    if (!client || form['grant_type'] !== 'authorization_code') {
      asked.reply(unauthenticated);
      return;
    }
    const challenge = challengeOf(form['code_verifier']);
    commitLater(() => {
      const now = Date.now();
      const code = useCode.get(now, digestOf(form['code'] ?? ''), client.id, now);
      const isRight = code?.redirect_uri === form['redirect_uri'] && code?.challenge === challenge;
      return code && isRight ? start(asked, client, code.user) : () => asked.reply(refused('invalid_grant'));
    });
  };

  return { floors: { code: authorize, exchange }, sessions };
}
