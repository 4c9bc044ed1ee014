/** The floors on PostgreSQL of requests that are answered with an id token: what `floor-tokens.ts` is on SQLite. */

import { challengeOf } from './floor-code-requests.ts';
import { type Asked, type Floor, type Floors, newToken, refused } from './floor-parts.ts';
import { askingOf, type Database, presentedOf, type Signing, together } from './floor-postgres-together.ts';
import { exchange, rotation } from './floor-postgres-token-statements.ts';
import { type Proof, verifyProof } from './floor-proofs.ts';
import {
  type Making,
  newAccessToken,
  provenRefresh,
  refreshMakings,
  sendTokens,
  storedDigest,
  usualMaking,
} from './floor-token-answers.ts';
import { digestOf } from './peer.ts';

/** The tables of `floor-postgres.ts` are there; makes the one that only these requests need. */
export async function openPostgresTokens(db: Database, signing: Signing): Promise<Floors> {
  await db.seeding.query('create table proofs (digest text primary key, expires_at bigint)');

  function refreshWith(name: string, making: Making, isProven: boolean): Floor {
    const rotate = together(db, rotation(name, making, isProven), signing);
    const rotateFor = ({ headers, reply }: Asked, presented: string, proof: Proof | null) => {
      const asking = askingOf(headers.authorization);
      const { id, digest } = presentedOf(presented);
      const [successor, accessToken] = [newToken(), making.isSigned ? null : newAccessToken()];
      const accessDigest = accessToken && storedDigest(accessToken, proof);
      const row = { family: id, presented: digest, successor: digestOf(successor), accessDigest };
      rotate({ ...asking, ...row, proof: proof?.digest ?? null }, (started) => {
        if (!started) {
          reply(refused('invalid_grant'));
          return;
        }
        const { family, user } = started;
        const client = { client_id: asking.clientId };
        const prepared = { client, user, accessToken, refreshToken: `${family}.${successor}`, proof };
        sendTokens(signing.until(reply), making, prepared);
      });
    };
    return (asked) => {
      const form = new URLSearchParams(asked.body);
      if (form.get('grant_type') !== 'refresh_token') {
        asked.reply(refused('invalid_request'));
        return;
      }
      const presented = form.get('refresh_token') ?? '';
      if (!isProven) rotateFor(asked, presented, null);
      else
        verifyProof(asked, (proof) =>
          proof ? rotateFor(asked, presented, proof) : asked.reply(refused('invalid_dpop_proof')),
        );
    };
  }

  const start = together(db, exchange, signing);
  const exchangeCode: Floor = ({ headers, body, reply }) => {
    const form = Object.fromEntries(new URLSearchParams(body));
    if (form['grant_type'] !== 'authorization_code') {
      reply(refused('invalid_request'));
      return;
    }
    const asking = askingOf(headers.authorization);
    const [secret, accessToken] = [newToken(), newAccessToken()];
    const { code = '', redirect_uri: redirectUri = '', code_verifier: verifier } = form;
    const sent = { code: digestOf(code), redirectUri, challenge: challengeOf(verifier) };
    const made = { successor: digestOf(secret), accessDigest: accessToken.digest };
    start({ ...asking, ...sent, ...made }, (started) => {
      if (!started) {
        reply(refused('invalid_grant'));
        return;
      }
      const { family, user } = started;
      const client = { client_id: asking.clientId };
      const prepared = { client, user, accessToken, refreshToken: `${family}.${secret}`, proof: null };
      sendTokens(signing.until(reply), usualMaking, prepared);
    });
  };

  const refreshes = Object.entries(refreshMakings).map(([name, making]) => {
    return [name, refreshWith(name, making, name === provenRefresh)];
  });
  return { ...Object.fromEntries(refreshes), exchange: exchangeCode };
}
