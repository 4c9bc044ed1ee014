/** The floors of requests that are answered with an id token: refreshes, and the exchange of a code. */

import type Sqlite from 'better-sqlite3';
import {
  type Algorithm,
  type Asked,
  accessClaims,
  answered,
  type ClientRow,
  type CommitLater,
  type FindClient,
  type Floors,
  newToken,
  refused,
  signAccessToken,
  signIdToken,
} from './floor-parts.ts';
import { openProofs, type Proof } from './floor-proofs.ts';
import { digestOf, scope } from './peer.ts';

interface UserRow {
  readonly id: number;
  readonly email: string;
  readonly firstname: string;
  readonly lastname: string;
}

/** How the tokens of a client are made. */
interface Making {
  readonly alg: Algorithm;
  /** Whether the access token is signed, so that no row need tell of it. */
  readonly isSigned: boolean;
}

/** Tokens whose rows are written, and which are still to be signed. */
interface Prepared {
  readonly client: ClientRow;
  readonly user: UserRow;
  readonly refreshToken: string;
  /** Null: it is signed. */
  readonly accessToken: string | null;
  readonly proof: Proof | null;
}

function sendTokens({ reply }: Asked, { alg }: Making, prepared: Prepared): void {
  const { client, user, proof } = prepared;
  const finish = (accessToken: string) => {
    const iat = Math.floor(Date.now() / 1000);
    const at_hash = Buffer.from(digestOf(accessToken), 'base64url').subarray(0, 16).toString('base64url');
    const name = { name: `${user.firstname} ${user.lastname}`, given_name: user.firstname, family_name: user.lastname };
    const claims = { iss: 'http://floor', aud: client.client_id, sub: String(user.id), email: user.email, ...name };
    signIdToken(alg, { ...claims, iat, exp: iat + 3600, auth_time: iat, at_hash }, (id_token) => {
      const token_type = proof ? 'DPoP' : 'Bearer';
      const tokens = { access_token: accessToken, token_type, expires_in: 3600, scope };
      reply(answered(200, { ...tokens, refresh_token: prepared.refreshToken, id_token }));
    });
  };
  if (prepared.accessToken !== null) finish(prepared.accessToken);
  // The id token has the hash of the access token: one signature after the other.
  else signAccessToken(accessClaims(client, String(user.id), scope), finish);
}

/** The tables of `floor.ts` are there; makes those that only these requests need. */
export function openTokenFloors(db: Sqlite.Database, commitLater: CommitLater, clientOf: FindClient) {
  const proofs = openProofs(db);
  const findUser = db.prepare<[number], UserRow>('select * from users where id = ?');
  const rotate = db.prepare<[string, number, number, number, string], { user: number }>(
    `update families set previous = current, current = ?, generation = generation + 1, expires_at = ?
      where id = ? and client = ? and current = ? returning user`,
  );
  const addFamily = db.prepare(
    'insert into families (client, user, current, generation, expires_at) values (?, ?, ?, 0, ?)',
  );
  const addToken = db.prepare('insert into access_tokens (family, digest, expires_at) values (?, ?, ?)');

  /** The row of an opaque access token; its digest binds it to the key, if there is one. */
  function addAccessToken(family: number, { isSigned }: Making, proof: Proof | null): string | null {
    if (isSigned) return null;
    const accessToken = newToken();
    addToken.run(family, digestOf(accessToken + (proof?.thumbprint ?? '')), Date.now() + 3_600_000);
    return accessToken;
  }

  function consume(
    asked: Asked,
    client: ClientRow,
    presented: string,
    making: Making,
    proof: Proof | null,
  ): () => void {
    const [family = '', secret = ''] = presented.split('.');
    const successor = newToken();
    if (proof && !proofs.use(proof)) return () => asked.reply(refused('invalid_dpop_proof'));
    const until = Date.now() + 1_209_600_000;
    const found = rotate.get(digestOf(successor), until, Number(family), client.id, digestOf(secret));
    const user = found && findUser.get(found.user);
    if (!user) return () => asked.reply(refused('invalid_grant'));
    const accessToken = addAccessToken(Number(family), making, proof);
    const prepared = { client, user, accessToken, refreshToken: `${family}.${successor}`, proof };
    return () => sendTokens(asked, making, prepared);
  }

  function refreshWith(making: Making, isProven = false) {
    return (asked: Asked): void => {
      const form = new URLSearchParams(asked.body);
      const client = clientOf(asked.headers.authorization);
      if (!client || form.get('grant_type') !== 'refresh_token') {
        asked.reply(refused('invalid_request'));
        return;
      }
      const presented = form.get('refresh_token') ?? '';
      const rotateLater = (proof: Proof | null) => commitLater(() => consume(asked, client, presented, making, proof));
      if (!isProven) rotateLater(null);
      else proofs.verify(asked, (proof) => (proof ? rotateLater(proof) : asked.reply(refused('invalid_dpop_proof'))));
    };
  }

  /** The first tokens of a user, within the transaction that uses up the code. */
  function start(asked: Asked, client: ClientRow, userId: number): () => void {
    const making = { alg: 'RS256', isSigned: false } as const;
    const user = findUser.get(userId);
    if (!user) return () => asked.reply(refused('invalid_grant'));
    const secret = newToken();
    const until = Date.now() + 1_209_600_000;
    const family = Number(addFamily.run(client.id, userId, digestOf(secret), until).lastInsertRowid);
    const accessToken = addAccessToken(family, making, null);
    return () =>
      sendTokens(asked, making, { client, user, accessToken, refreshToken: `${family}.${secret}`, proof: null });
  }

  const floors: Floors = {
    token: refreshWith({ alg: 'RS256', isSigned: false }),
    'refresh-es256': refreshWith({ alg: 'ES256', isSigned: false }),
    'refresh-dpop': refreshWith({ alg: 'RS256', isSigned: false }, true),
    'refresh-jwt': refreshWith({ alg: 'RS256', isSigned: true }),
  };
  return { floors, start };
}

export type StartTokens = ReturnType<typeof openTokenFloors>['start'];
