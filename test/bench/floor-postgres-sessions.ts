/** The floor on PostgreSQL of a browser with a session that is given a code: what `floor-sessions.ts` is on SQLite. */

import {
  codeMilliseconds,
  cookieOf,
  locationWith,
  readCodeRequest,
  sessionMilliseconds,
} from './floor-code-requests.ts';
import { type Floor, newToken, refused } from './floor-parts.ts';
import { columnsOf, type Database, type Statement, together } from './floor-postgres-together.ts';
import { digestOf, scope } from './peer.ts';

export interface Coded {
  /** Of the code. */
  readonly digest: string;
  readonly scope: string;
  readonly redirectUri: string;
  readonly challenge: string;
}

/** The statements answer the digests of the codes that they wrote. */
export function judgeCodes(rows: readonly (readonly (string | null)[])[]): (item: Coded) => boolean {
  const written = new Set(rows.map(([digest]) => digest));
  return ({ digest }) => written.has(digest);
}

/** The client of a request, where it may send the browser back. */
export const whoSends = `cross join lateral (select id from clients c
  where c.client_id = g.client_id and c.metadata::jsonb -> 'redirect_uris' ? g.redirect_uri offset 0) c`;

/** Whether a user allows a client what it asks for. */
export const allows = (user: string, client: string) => `cross join lateral (select from consents o
  where o.user_id = ${user} and o.client = ${client}
    and string_to_array(g.scope, ' ') <@ string_to_array(o.scope, ' ') offset 0) o`;

/** `$1` is the time, in both statements that give codes. */
export const intoCodes = `insert into codes
  (client, user_id, session, digest, scope, redirect_uri, challenge, expires_at)`;
export const ofCode = `g.digest, g.scope, g.redirect_uri, g.challenge, $1::bigint + ${codeMilliseconds}`;

const giveCodes: Statement<Coded & { readonly clientId: string; readonly session: string }, boolean> = {
  name: 'code',
  text: `${intoCodes} select c.id, s.user_id, s.id, ${ofCode}
    from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
      as g (client_id, session, digest, scope, redirect_uri, challenge)
    ${whoSends}
    cross join lateral (select s.id, s.user_id from sessions s join users u on u.id = s.user_id
      where s.digest = g.session and s.expires_at > $1::bigint offset 0) s
    ${allows('s.user_id', 'c.id')}
    returning digest`,
  values: (batch) => [
    Date.now(),
    ...columnsOf(batch, 'clientId', 'session', 'digest', 'scope', 'redirectUri', 'challenge'),
  ],
  judge: judgeCodes,
};

/** Consents of so many users to the first client. */
export async function addConsents(db: Database, ids: readonly (number | string)[]): Promise<void> {
  await db.seeding.query('insert into consents select id, 1, $2 from unnest($1::bigint[]) as t (id)', [ids, scope]);
}

/** One session for each of the first users, who have consented to the client; answers their secrets. */
export async function openPostgresSessions(
  db: Database,
  users: number,
): Promise<{ readonly floor: Floor; readonly sessions: readonly string[] }> {
  await db.seeding.query(`
    create table sessions (id bigint generated always as identity (cache 100) primary key, digest text unique,
      user_id bigint, expires_at bigint);
    create table consents (user_id bigint, client bigint, scope text, primary key (user_id, client));
    create table codes (digest text primary key, client bigint, user_id bigint, session bigint, scope text,
      redirect_uri text, challenge text, expires_at bigint, used_at bigint) with (fillfactor = 50)`);
  const sessions = Array.from({ length: users }, newToken);
  await db.seeding.query(
    `insert into sessions (digest, user_id, expires_at)
      select digest, n, $2 from unnest($1::text[]) with ordinality as t (digest, n)`,
    [sessions.map(digestOf), Date.now() + sessionMilliseconds],
  );
  await addConsents(
    db,
    Array.from(sessions.keys(), (index) => index + 1),
  );
  const give = together(db, giveCodes);
  const floor: Floor = ({ headers, rest, reply }) => {
    const asked = readCodeRequest(rest);
    if (!asked) {
      reply(refused('invalid_request'));
      return;
    }
    const code = newToken();
    give({ ...asked, session: digestOf(cookieOf(headers, 'sid')), digest: digestOf(code) }, (isGiven) =>
      reply(
        isGiven
          ? { status: 303, text: '', headers: { location: locationWith(code, asked) } }
          : refused('access_denied'),
      ),
    );
  };
  return { floor, sessions };
}
