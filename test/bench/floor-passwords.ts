/**
 * Passwords of the floors, and delegated authentication. The hash is what it is; what counts is the rest: an attempt is
 * counted before the hash, so that nobody tries more than the number that is allowed, and its end is written after it.
 */

import { hash, verify } from '@node-rs/argon2';
import type Sqlite from 'better-sqlite3';
import type { Person } from './floor-bodies.ts';
import { delegatedFloor } from './floor-delegated.ts';
import { type CommitLater, type Floor, newToken } from './floor-parts.ts';
import { benchPassword, digestOf } from './peer.ts';

export const mostAttempts = 5;
/** As the service's. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** Users with the password: as many as virtual clients at once, and more. */
export const passwordEmails = Array.from({ length: 128 }, (_, number) => `delegate${number}@example.com`);

/** One digest for all, for it takes long. */
export const passwordDigest = () => hash(benchPassword, cost);

interface PersonRow extends Person {
  readonly id: number;
  readonly password_digest: string;
}

/** The table of `floor-users.ts` is there. Adds users who have the password. */
export async function openPasswords(db: Sqlite.Database, commitLater: CommitLater) {
  const addPerson = db.prepare(
    `insert into people (email, firstname, lastname, status, state, invalid_login_attempts, created_at, updated_at,
      password_digest) values (?, 'Ada', 'Lovelace', 1, 1, 0, ?, ?, ?)`,
  );
  const digest = await passwordDigest();
  const ids = db.transaction(() =>
    passwordEmails.map((email) => Number(addPerson.run(email, Date.now(), Date.now(), digest).lastInsertRowid)),
  )();
  const find = db.prepare<[string], PersonRow>(
    'select id, email, firstname, lastname, password_digest from people where email = ?',
  );
  const countAttempt = db.prepare(
    `update people set invalid_login_attempts = invalid_login_attempts + 1
      where id = ? and invalid_login_attempts < ${mostAttempts}`,
  );
  const noteSignIn = db.prepare('update people set invalid_login_attempts = 0, last_login = ? where id = ?');
  return {
    ids,
    /** Null when the password is wrong; counts the attempt first. */
    check: (email: string, password: string, done: (person: PersonRow | null) => void): void => {
      const person = find.get(email);
      if (!person) {
        done(null);
        return;
      }
      commitLater(() => {
        const isOpen = countAttempt.run(person.id).changes === 1;
        return async () => done(isOpen && (await verify(person.password_digest, password)) ? person : null);
      });
    },
    /** Writes that the user signed in, within a transaction. */
    note: ({ id }: PersonRow) => void noteSignIn.run(Date.now(), id),
  };
}

export type Passwords = Awaited<ReturnType<typeof openPasswords>>;

/** Answers an API key too. */
export function openDelegatedFloor(
  db: Sqlite.Database,
  commitLater: CommitLater,
  passwords: Passwords,
): { readonly floor: Floor; readonly apiKey: string } {
  db.exec('create table api_keys (digest text primary key, name text) strict, without rowid');
  const apiKey = newToken();
  db.prepare('insert into api_keys values (?, ?)').run(digestOf(apiKey), 'bench');
  const findKey = db.prepare<[string], { name: string }>('select name from api_keys where digest = ?');
  const floor = delegatedFloor<PersonRow>({
    check: (key, email, password, done) => {
      if (findKey.get(digestOf(key))) passwords.check(email, password, done);
      else done(null);
    },
    note: (person, done) =>
      commitLater(() => {
        passwords.note(person);
        return done;
      }),
  });
  return { floor, apiKey };
}
