/** The statements of `floor-postgres-answers.ts`. */

import { activeBody, personBody } from './floor-bodies.ts';
import { answered, unauthenticated } from './floor-parts.ts';
import { type Asking, columnsOf, type Presented, type Statement, whoAsks } from './floor-postgres-together.ts';

/** A row that is written if the client is who it says it is. */
interface Written extends Asking {
  /** The row's own. */
  readonly digest: string;
  readonly answer: object;
}

/** The statement answers the keys of the rows that it wrote. */
function judgeWritten<Item extends { readonly answer: object }>(
  status: number,
  keyOf: (item: Item) => string,
): Statement<Item>['judge'] {
  return (rows) => {
    const written = new Set(rows.map(([key]) => key));
    return (item) => (written.has(keyOf(item)) ? answered(status, item.answer) : unauthenticated);
  };
}

export const clientCredentials: Statement<Written> = {
  name: 'client-credentials',
  text: `insert into access_tokens (digest, expires_at)
    select g.digest, $4::bigint from unnest($1::text[], $2::text[], $3::text[]) as g (client_id, secret_digest, digest)
    ${whoAsks}
    returning digest`,
  values: (batch) => [...columnsOf(batch, 'clientId', 'secretDigest', 'digest'), Date.now() + 3_600_000],
  judge: judgeWritten(200, ({ digest }) => digest),
};

export const pushed: Statement<Written & { readonly parameters: string }> = {
  name: 'pushed',
  text: `insert into pushed (digest, client, parameters, expires_at)
    select g.digest, c.id, g.parameters, $5::bigint
    from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as g (client_id, secret_digest, digest, parameters)
    ${whoAsks}
    returning digest`,
  values: (batch) => [...columnsOf(batch, 'clientId', 'secretDigest', 'digest', 'parameters'), Date.now() + 90_000],
  judge: judgeWritten(201, ({ digest }) => digest),
};

interface Registered {
  readonly registrar: string;
  readonly clientId: string;
  readonly secretDigest: string;
  readonly metadata: string;
  readonly answer: object;
}

export const registration: Statement<Registered> = {
  name: 'registration',
  text: `insert into clients (client_id, secret_digest, metadata)
    select g.client_id, g.secret_digest, g.metadata
    from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as g (registrar, client_id, secret_digest, metadata)
    join registrars r on r.digest = g.registrar and r.expires_at > $5::bigint
    returning client_id`,
  values: (batch) => [...columnsOf(batch, 'registrar', 'clientId', 'secretDigest', 'metadata'), Date.now()],
  judge: judgeWritten(201, ({ clientId }) => clientId),
};

/** Tokens of one client are asked about by another: their rows, and behind them those of the clients that ask. */
export const introspection: Statement<Asking & Presented> = {
  name: 'introspection',
  text: `select t.id, t.digest, o.client_id, f.user_id, t.expires_at
    from access_tokens t join families f on f.id = t.family join clients o on o.id = f.client
    where t.id = any($1::bigint[]) and t.expires_at > $3
    union all
    select null, secret_digest, client_id, null, null from clients where client_id = any($2::text[])`,
  values: (batch) => [batch.map(({ id }) => id), [...new Set(batch.map(({ clientId }) => clientId))], Date.now()],
  judge: (rows) => {
    const clients = new Map(rows.flatMap(([id, digest, clientId]) => (id === null ? [[clientId, digest]] : [])));
    const tokens = new Map(rows.map((row) => [row[0], row]));
    return ({ clientId, secretDigest, id, digest }) => {
      if (clients.get(clientId) !== secretDigest) return unauthenticated;
      const [, stored, client_id, sub, expires] = tokens.get(id) ?? [];
      if (stored !== digest) return answered(200, { active: false });
      return answered(200, activeBody(client_id ?? null, sub ?? null, Number(expires)));
    };
  },
};

export const userinfo: Statement<Presented> = {
  name: 'userinfo',
  text: `select t.id, t.digest, u.id, u.email, u.firstname, u.lastname
    from access_tokens t join families f on f.id = t.family join users u on u.id = f.user_id
    where t.id = any($1::bigint[]) and t.expires_at > $2`,
  values: (batch) => [batch.map(({ id }) => id), Date.now()],
  judge: (rows) => {
    const tokens = new Map(rows.map((row) => [row[0], row]));
    return ({ id, digest }) => {
      const [, stored, sub = null, email = null, firstname = null, lastname = null] = tokens.get(id) ?? [];
      if (stored !== digest) return unauthenticated;
      return answered(200, personBody({ id: sub, email, firstname, lastname }));
    };
  },
};

/** Nothing is stored: who gets the token checks its signature. True: it may be signed. */
export const signedClientCredentials: Statement<Asking, boolean, readonly [index: number]> = {
  name: 'client-credentials-jwt',
  text: `select g.index::int
    from unnest($1::text[], $2::text[]) with ordinality as g (client_id, secret_digest, index) ${whoAsks}`,
  values: (batch) => columnsOf(batch, 'clientId', 'secretDigest'),
  judge: (rows) => {
    const known = new Set(rows.map(([index]) => index));
    return (_item, index) => known.has(index + 1);
  },
};
