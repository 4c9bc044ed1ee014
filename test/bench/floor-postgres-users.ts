/** The floors on PostgreSQL of the management API's requests about users: what `floor-users.ts` is on SQLite. */

import { bearerOf } from './floor-bodies.ts';
import { type Answered, answered, type Floors, newToken, refused } from './floor-parts.ts';
import { type PersonRow, pageAnswer, pageSize, peopleColumns, represent } from './floor-people.ts';
import {
  columnsOf,
  type Database,
  type Presented,
  presentedOf,
  type Statement,
  together,
} from './floor-postgres-together.ts';
import { benchUser, digestOf } from './peer.ts';

/** A request of a bearer: `id` and `digest` are of its token. */
interface OfBearer extends Presented {
  /** The user, or the one that the page follows. */
  readonly person: string;
}

interface Change extends OfBearer {
  readonly title: string;
}

/** A user by the place of the request in its batch, from 1 on. */
type Placed<Found> = Found & { readonly place: number };

const roles = `(select coalesce(json_agg(role), '[]')::text from person_roles where person = p.id) as role_ids`;

/** `$1` is the time. */
const mayWith = (scope: string) => `cross join lateral (select from bearers b where b.id = g.bearer
  and b.digest = g.digest and b.expires_at > $1::bigint and '${scope}' = any(string_to_array(b.scopes, ' ')) offset 0) b`;

const given = 'unnest($2::bigint[], $3::text[], $4::bigint[]) with ordinality as g (bearer, digest, person, place)';

/** Of each request one user; nobody tells one who is not there from one who may not be read. */
function judgePerson(rows: readonly Placed<PersonRow>[]): (item: OfBearer, index: number) => Answered {
  const people = new Map(rows.map((row) => [row.place, row]));
  return (_item, index) => {
    const person = people.get(index + 1);
    return person ? answered(200, represent(person)) : refused('not_found');
  };
}

const readPeople: Statement<OfBearer, Answered, Placed<PersonRow>> = {
  name: 'user',
  isNamed: true,
  text: `select g.place::int, p.* from ${given} ${mayWith('read_users')}
    cross join lateral (select *, ${roles} from people p where p.id = g.person offset 0) p`,
  values: (batch) => [Date.now(), ...columnsOf(batch, 'id', 'digest', 'person')],
  judge: judgePerson,
};

/** The condition on the user is always true; for the planner it leaves one row of the batch. */
const changePeople: Statement<Change, Answered, Placed<PersonRow>> = {
  name: 'user-change',
  isNamed: true,
  text: `with g as materialized (
      select g.place, g.person, g.title
      from unnest($2::bigint[], $3::text[], $4::bigint[], $5::text[]) with ordinality
        as g (bearer, digest, person, title, place) ${mayWith('manage_users')}
      where coalesce(g.person, 0) = g.person
    )
    update people p set title = g.title, updated_at = $1::bigint from g where p.id = g.person
    returning g.place::int, p.*, ${roles}`,
  values: (batch) => [Date.now(), ...columnsOf(batch, 'id', 'digest', 'person', 'title')],
  judge: judgePerson,
};

/** A bearer that may read has a row, at the end of the users too. */
const listPeople: Statement<OfBearer, Answered, Placed<PersonRow | { readonly id: null }>> = {
  name: 'user-list',
  isNamed: true,
  text: `select g.place::int, p.* from ${given} ${mayWith('read_users')}
    left join lateral (select *, ${roles} from people p where p.id > g.person order by p.id limit ${pageSize + 1}) p
      on true`,
  values: (batch) => [Date.now(), ...columnsOf(batch, 'id', 'digest', 'person')],
  judge: (rows) => {
    const pages = Map.groupBy(rows, ({ place }) => place);
    return (_item, index) => {
      const page = pages.get(index + 1);
      return page ? pageAnswer(page.filter((person) => person.id !== null)) : refused('unauthorized');
    };
  },
};

/** So many users, and one bearer that may read and change them; answers it. */
export async function openPostgresUsers(
  db: Database,
  users: number,
): Promise<{ readonly floors: Floors; readonly bearer: string }> {
  await db.seeding.query(`
    create table bearers (id bigint primary key, digest text, scopes text, expires_at bigint);
    create table person_roles (person bigint, role integer, primary key (person, role));
    create table people (id bigint generated always as identity primary key, ${peopleColumns('bigint')})
      with (fillfactor = 50)`);
  const secret = newToken();
  const bearer = [digestOf(secret), 'read_users manage_users', Date.now() + 86_400_000];
  await db.seeding.query('insert into bearers values (1, $1, $2, $3)', bearer);
  const people = Array.from({ length: users }, (_, index) => benchUser(index + 1));
  await db.seeding.query(
    `insert into people (email, firstname, lastname, status, state, invalid_login_attempts, created_at, updated_at)
      select email, firstname, lastname, 1, 1, 0, $4::bigint, $4::bigint
      from unnest($1::text[], $2::text[], $3::text[]) with ordinality as t (email, firstname, lastname, n) order by n`,
    [...columnsOf(people, 'email', 'firstname', 'lastname'), Date.now()],
  );

  const read = together(db, readPeople);
  const change = together(db, changePeople);
  const list = together(db, listPeople);
  const ask = (authorization: string | undefined, person: string | null): OfBearer => {
    return { ...presentedOf(bearerOf(authorization)), person: String(Number(person) || 0) };
  };
  const floors: Floors = {
    user: ({ headers, rest, reply }) => read(ask(headers.authorization, rest), reply),
    'user-change': ({ headers, rest, body, reply }) => {
      const { title } = JSON.parse(body) as { title: string };
      change({ ...ask(headers.authorization, rest), title }, reply);
    },
    'user-list': ({ headers, rest, reply }) => {
      list(ask(headers.authorization, new URLSearchParams(rest).get('cursor')), reply);
    },
  };
  return { floors, bearer: `1.${secret}` };
}
