/** The floors of requests about users with all that is known of them: the management API. */

import type Sqlite from 'better-sqlite3';
import { answered, type CommitLater, type Floor, type Floors, newToken, refused } from './floor-parts.ts';
import { benchUser, digestOf } from './peer.ts';

const pageSize = 50;

interface PersonRow {
  readonly id: number;
  readonly email: string;
  readonly verified_email: string | null;
  readonly username: string | null;
  readonly firstname: string;
  readonly lastname: string;
  readonly title: string | null;
  readonly department: string | null;
  readonly company: string | null;
  readonly phone: string | null;
  readonly comment: string | null;
  readonly external_id: string | null;
  readonly group_id: number | null;
  readonly manager_user_id: number | null;
  readonly preferred_locale_code: string | null;
  readonly policy_id: number | null;
  readonly status: number;
  readonly state: number;
  readonly invalid_login_attempts: number;
  readonly locked_until: number | null;
  readonly activated_at: number | null;
  readonly last_login: number | null;
  readonly invitation_sent_at: number | null;
  readonly password_changed_at: number | null;
  readonly created_at: number;
  readonly updated_at: number;
  /** A JSON array. */
  readonly role_ids: string;
}

const roles = '(select json_group_array(role) from person_roles where person = people.id) as role_ids';

function time(milliseconds: number | null): string | null {
  return milliseconds === null ? null : new Date(milliseconds).toISOString();
}

/** All that the management API tells of a user. */
function represent(person: PersonRow): object {
  return {
    id: person.id,
    email: person.email,
    email_verified: person.email === person.verified_email,
    username: person.username,
    firstname: person.firstname,
    lastname: person.lastname,
    title: person.title,
    department: person.department,
    company: person.company,
    phone: person.phone,
    comment: person.comment,
    external_id: person.external_id,
    group_id: person.group_id,
    role_ids: JSON.parse(person.role_ids),
    manager_user_id: person.manager_user_id,
    preferred_locale_code: person.preferred_locale_code,
    policy_id: person.policy_id,
    custom_attributes: {},
    status: person.status,
    state: person.state,
    invalid_login_attempts: person.invalid_login_attempts,
    locked_until: time(person.locked_until),
    activated_at: time(person.activated_at),
    last_login: time(person.last_login),
    invitation_sent_at: time(person.invitation_sent_at),
    password_changed_at: time(person.password_changed_at),
    created_at: time(person.created_at),
    updated_at: time(person.updated_at),
  };
}

/** So many users, and one bearer that may read and change them; answers it. */
export function openUserFloors(
  db: Sqlite.Database,
  commitLater: CommitLater,
  users: number,
): { readonly floors: Floors; readonly bearer: string } {
  db.exec(`
    create table bearers (id integer primary key, digest text, scopes text, expires_at integer) strict;
    create table person_roles (person integer, role integer, primary key (person, role)) strict, without rowid;
    create table people (id integer primary key, email text unique, verified_email text, username text, firstname text,
      lastname text, title text, department text, company text, phone text, comment text, external_id text,
      group_id integer, manager_user_id integer, preferred_locale_code text, policy_id integer, status integer,
      state integer, invalid_login_attempts integer, locked_until integer, activated_at integer, last_login integer,
      invitation_sent_at integer, password_changed_at integer, created_at integer, updated_at integer,
      password_digest text) strict`);
  const secret = newToken();
  const addBearer = db.prepare('insert into bearers (digest, scopes, expires_at) values (?, ?, ?)');
  const bearerId = addBearer.run(digestOf(secret), 'read_users manage_users', Date.now() + 86_400_000).lastInsertRowid;
  const addPerson = db.prepare(
    `insert into people (email, firstname, lastname, status, state, invalid_login_attempts, created_at, updated_at)
      values (?, ?, ?, 1, 1, 0, ?, ?)`,
  );
  db.transaction(() => {
    const now = Date.now();
    for (let number = 1; number <= users; number += 1) {
      const { email, firstname, lastname } = benchUser(number);
      addPerson.run(email, firstname, lastname, now, now);
    }
  })();

  const findBearer = db.prepare<[number], { digest: string; scopes: string; expires_at: number }>(
    'select digest, scopes, expires_at from bearers where id = ?',
  );
  const findPerson = db.prepare<[number], PersonRow>(`select *, ${roles} from people where id = ?`);
  const listPeople = db.prepare<[number, number], PersonRow>(
    `select *, ${roles} from people where id > ? order by id limit ?`,
  );
  const changeTitle = db.prepare<[string, number, number], PersonRow>(
    `update people set title = ?, updated_at = ? where id = ? returning *, ${roles}`,
  );

  function may(authorization: string | undefined, scope: string): boolean {
    const [id = '', text = ''] = (authorization ?? '').slice('Bearer '.length).split('.');
    const found = findBearer.get(Number(id));
    return found?.digest === digestOf(text) && found.expires_at > Date.now() && found.scopes.split(' ').includes(scope);
  }

  const read: Floor = ({ headers, rest, reply }) => {
    const person = may(headers.authorization, 'read_users') ? findPerson.get(Number(rest)) : undefined;
    reply(person ? answered(200, represent(person)) : refused('not_found'));
  };

  const change: Floor = ({ headers, rest, body, reply }) => {
    const { title } = JSON.parse(body) as { title: string };
    if (!may(headers.authorization, 'manage_users')) {
      reply(refused('unauthorized'));
      return;
    }
    commitLater(() => {
      const person = changeTitle.get(title, Date.now(), Number(rest));
      return () => reply(person ? answered(200, represent(person)) : refused('not_found'));
    });
  };

  const list: Floor = ({ headers, rest, reply }) => {
    const cursor = new URLSearchParams(rest).get('cursor');
    if (!may(headers.authorization, 'read_users')) {
      reply(refused('unauthorized'));
      return;
    }
    // One more tells whether another page follows.
    const found = listPeople.all(Number(cursor ?? 0), pageSize + 1);
    const page = found.slice(0, pageSize);
    const after = found.length > page.length ? { 'after-cursor': String(page.at(-1)?.id) } : undefined;
    const text = JSON.stringify(page.map(represent));
    reply({ status: 200, text, headers: { 'page-items': String(page.length), ...after } });
  };

  return { floors: { user: read, 'user-change': change, 'user-list': list }, bearer: `${bearerId}.${secret}` };
}
