/** The floors of requests that are answered with an id token: refreshes, and the exchange of a code. */

import type Sqlite from 'better-sqlite3';
import type { Person } from './floor-bodies.ts';
import {
  type Asked,
  type ClientRow,
  type CommitLater,
  type FindClient,
  type Floors,
  newToken,
  refused,
} from './floor-parts.ts';
import { openProofs, type Proof, verifyProof } from './floor-proofs.ts';
import {
  type AccessToken,
  accessMilliseconds,
  type Making,
  newAccessToken,
  provenRefresh,
  refreshMakings,
  refreshMilliseconds,
  sendTokens,
  storedDigest,
  usualMaking,
} from './floor-token-answers.ts';
import { digestOf } from './peer.ts';

/** The tables of `floor.ts` are there; makes those that only these requests need. */
export function openTokenFloors(db: Sqlite.Database, commitLater: CommitLater, clientOf: FindClient) {
  const useProof = openProofs(db);
  const findUser = db.prepare<[number], Person>('select * from users where id = ?');
  const rotate = db.prepare<[string, number, number, number, string], { user: number }>(
    `update families set previous = current, current = ?, generation = generation + 1, expires_at = ?
      where id = ? and client = ? and current = ? returning user`,
  );
  const addFamily = db.prepare(
    'insert into families (client, user, current, generation, expires_at) values (?, ?, ?, 0, ?)',
  );
  const addToken = db.prepare('insert into access_tokens (family, digest, expires_at) values (?, ?, ?)');

  /** The row of an opaque access token. */
  function addAccessToken(family: number, { isSigned }: Making, proof: Proof | null): AccessToken | null {
    if (isSigned) return null;
    const accessToken = newAccessToken();
    addToken.run(family, storedDigest(accessToken, proof), Date.now() + accessMilliseconds);
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
    if (proof && !useProof(proof)) return () => asked.reply(refused('invalid_dpop_proof'));
    const until = Date.now() + refreshMilliseconds;
    const found = rotate.get(digestOf(successor), until, Number(family), client.id, digestOf(secret));
    const user = found && findUser.get(found.user);
    if (!user) return () => asked.reply(refused('invalid_grant'));
    const accessToken = addAccessToken(Number(family), making, proof);
    const prepared = { client, user, accessToken, refreshToken: `${family}.${successor}`, proof };
    return () => sendTokens(asked.reply, making, prepared);
  }

  function refreshWith(making: Making, isProven: boolean) {
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
      else verifyProof(asked, (proof) => (proof ? rotateLater(proof) : asked.reply(refused('invalid_dpop_proof'))));
    };
  }

  /** The first tokens of a user, within the transaction that uses up the code. */
  function start(asked: Asked, client: ClientRow, userId: number): () => void {
    const user = findUser.get(userId);
    if (!user) return () => asked.reply(refused('invalid_grant'));
    const secret = newToken();
    const until = Date.now() + refreshMilliseconds;
    const family = Number(addFamily.run(client.id, userId, digestOf(secret), until).lastInsertRowid);
    const accessToken = addAccessToken(family, usualMaking, null);
    const prepared = { client, user, accessToken, refreshToken: `${family}.${secret}`, proof: null };
    return () => sendTokens(asked.reply, usualMaking, prepared);
  }

  const floors: Floors = Object.fromEntries(
    Object.entries(refreshMakings).map(([name, making]) => [name, refreshWith(making, name === provenRefresh)]),
  );
  return { floors, start };
}

export type StartTokens = ReturnType<typeof openTokenFloors>['start'];
