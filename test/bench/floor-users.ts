/** The floors of requests about users with all that is known of them: the management API. */

import type Sqlite from 'better-sqlite3';
import { answered, type CommitLater, type Floor, type Floors, newToken, refused } from './floor-parts.ts';
import { type PersonRow, pageAnswer, pageSize, peopleColumns, represent } from './floor-people.ts';
import { benchUser, digestOf } from './peer.ts';

const roles = '(select json_group_array(role) from person_roles where person = people.id) as role_ids';

/** So many users, and one bearer that may read and change them; answers it. */
export function openUserFloors(
  db: Sqlite.Database,
  commitLater: CommitLater,
  users: number,
): { readonly floors: Floors; readonly bearer: string } {
  db.exec(`
    create table bearers (id integer primary key, digest text, scopes text, expires_at integer) strict;
    create table person_roles (person integer, role integer, primary key (person, role)) strict, without rowid;
    create table people (id integer primary key, ${peopleColumns('integer')}) strict`);
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
    reply(pageAnswer(listPeople.all(Number(cursor ?? 0), pageSize + 1)));
  };

  return { floors: { user: read, 'user-change': change, 'user-list': list }, bearer: `${bearerId}.${secret}` };
}
