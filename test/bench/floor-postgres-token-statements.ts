/** The statements of `floor-postgres-tokens.ts`. */

import type { Person } from './floor-bodies.ts';
import { type Asking, columnsOf, type Row, type Statement } from './floor-postgres-together.ts';
import { proofMilliseconds } from './floor-proofs.ts';
import { accessMilliseconds, type Making, refreshMilliseconds } from './floor-token-answers.ts';

/** Tokens whose rows were written. */
interface Started {
  readonly family: string | null;
  readonly user: Person;
}

interface Made extends Asking {
  /** Of the new refresh token, by which its row is known. */
  readonly successor: string;
  /** Null: the access token is signed, and not stored. */
  readonly accessDigest: string | null;
}

interface Rotation extends Made {
  readonly family: string;
  readonly presented: string;
  readonly proof: string | null;
}

interface Exchange extends Made {
  readonly code: string;
  readonly redirectUri: string;
  readonly challenge: string;
}

/** Rows of a refresh token's digest, its family and its user; null for one that was not written. */
function judgeStarted(rows: readonly Row[]): (item: Made) => Started | null {
  const found = new Map(rows.map((row) => [row[0], row]));
  return ({ successor }) => {
    const row = found.get(successor);
    if (!row) return null;
    const [, family = null, id = null, email = null, firstname = null, lastname = null] = row;
    return { family, user: { id, email, firstname, lastname } };
  };
}

const startedColumns = 'r.successor, r.family, u.id, u.email, u.firstname, u.lastname';

/** `$1` is the time. The condition of `given` is always true; for the planner it leaves one row of the batch. */
export function rotation(name: string, { isSigned }: Making, isProven: boolean): Statement<Rotation, Started | null> {
  const columns = [
    ...(['clientId', 'secretDigest', 'family', 'presented', 'successor'] as const),
    ...(isSigned ? [] : (['accessDigest'] as const)),
    ...(isProven ? (['proof'] as const) : []),
  ];
  const arrays = columns.map((column, index) => `$${index + 2}::${column === 'family' ? 'bigint' : 'text'}[]`);
  const names = columns.map((column) => column.replace(/[A-Z]/, (letter) => `_${letter.toLowerCase()}`));
  const used = `used as (
      insert into proofs (digest, expires_at) select proof, $1::bigint + ${proofMilliseconds} from given
      on conflict do nothing returning digest
    ), `;
  const added = `, added as (
      insert into access_tokens (family, digest, expires_at)
      select family, access_digest, $1::bigint + ${accessMilliseconds} from rotated
    )`;
  return {
    name,
    text: `with given as materialized (
      select ${isProven ? 'distinct on (proof) ' : ''}* from unnest(${arrays.join(', ')}) as t (${names.join(', ')})
      where coalesce(family, 0) = family
    ), ${isProven ? used : ''}rotated as (
      update families f set previous = f.current, current = g.successor, generation = f.generation + 1,
        expires_at = $1::bigint + ${refreshMilliseconds}
      from given g join clients c on c.client_id = g.client_id and c.secret_digest = g.secret_digest
        ${isProven ? 'join used p on p.digest = g.proof' : ''}
      where f.id = g.family and f.client = c.id and f.current = g.presented
      returning g.successor, f.id as family, f.user_id${isSigned ? '' : ', g.access_digest'}
    )${isSigned ? '' : added}
    select ${startedColumns} from rotated r join users u on u.id = r.user_id`,
    values: (batch) => [Date.now(), ...columnsOf(batch, ...columns)],
    judge: judgeStarted,
  };
}

/** A code that is sent with the wrong address or verifier is used up all the same. */
export const exchange: Statement<Exchange, Started | null> = {
  name: 'exchange',
  text: `with given as materialized (
      select * from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
        as t (client_id, secret_digest, code, redirect_uri, challenge, successor, access_digest)
      where coalesce(code, '') = code
    ), used as (
      update codes k set used_at = $1::bigint
      from given g join clients c on c.client_id = g.client_id and c.secret_digest = g.secret_digest
      where k.digest = g.code and k.client = c.id and k.used_at is null and k.expires_at > $1::bigint
      returning k.client, k.user_id, k.redirect_uri = g.redirect_uri and k.challenge = g.challenge as is_right,
        g.successor, g.access_digest
    ), r as materialized (
      select nextval('family_ids') as family, client, user_id, successor, access_digest from used where is_right
    ), started as (
      insert into families (id, client, user_id, current, generation, expires_at)
      select family, client, user_id, successor, 0, $1::bigint + ${refreshMilliseconds} from r
    ), added as (
      insert into access_tokens (family, digest, expires_at)
      select family, access_digest, $1::bigint + ${accessMilliseconds} from r
    )
    select ${startedColumns} from r join users u on u.id = r.user_id`,
  values: (batch) => [
    Date.now(),
    ...columnsOf(batch, 'clientId', 'secretDigest', 'code', 'redirectUri', 'challenge', 'successor', 'accessDigest'),
  ],
  judge: judgeStarted,
};
