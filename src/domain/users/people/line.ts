/** Lines of a file as an import reads them, and what becomes of them. */

import type { UserKeys } from '../../../store/users.ts';
import { Failure } from '../../failure.ts';
import { readNames } from '../names.ts';
import { type FileRow, type Person, readPerson } from './person.ts';

/** What becomes of a line whose user exists: the same e-mail address, or the same user name where it has none. */
export const existingChoices = ['skip', 'update', 'fail'] as const;

export interface LineOutcome {
  readonly line: number;
  readonly result: 'created' | 'updated' | 'skipped' | 'failed';
  /** Null for a line that failed, and for one that a dry run would create. */
  readonly userId: number | null;
  readonly failure: Failure | null;
}

/** What fails because of the line, and not for all lines. */
const faultsOfLine: readonly Failure['code'][] = ['value_invalid', 'conflict', 'not_found', 'last_administrator'];

/** A line that is a person. */
export interface Line extends Person {
  readonly line: number;
  readonly keys: UserKeys;
  /** By which the user is found. */
  readonly name: string;
  /** That no other user may have. */
  readonly names: readonly string[];
}

/** Throws `value_invalid` for a line that is no person or has no name. */
export function readLine(row: FileRow): Line {
  if ('fault' in row) throw new Failure('value_invalid', { name: 'line', message: row.fault });
  const person = readPerson(row.members);
  const { emailKey, usernameKey } = readNames(person.input.email || null, person.input.username || null);
  const [email, username] = [`email ${emailKey}`, `username ${usernameKey}`];
  const name = emailKey === null ? username : email;
  return {
    ...person,
    line: row.line,
    keys: { emailKey, usernameKey },
    name,
    names: usernameKey === null ? [name] : [name, username],
  };
}

export function outcome(
  { line }: Pick<Line, 'line'>,
  result: LineOutcome['result'],
  userId: number | null,
): LineOutcome {
  return { line, result, userId, failure: null };
}

export function isOfLine(error: unknown): error is Failure {
  return error instanceof Failure && faultsOfLine.includes(error.code);
}

/** Throws what is not the fault of the line. */
export function failed(line: Pick<Line, 'line'>, error: unknown): LineOutcome {
  if (!isOfLine(error)) throw error;
  return notStored(line, error);
}

export function notStored({ line }: Pick<Line, 'line'>, failure: Failure): LineOutcome {
  return { line, result: 'failed', userId: null, failure };
}

/** An update leaves alone whom an earlier line of a dry run made: there is nothing to try the change on. */
export function leftAlone(line: Line, id: number | null, existing: (typeof existingChoices)[number]): LineOutcome {
  if (existing !== 'fail') return outcome(line, existing === 'skip' ? 'skipped' : 'updated', id);
  const message = `there is a user with this ${line.name.split(' ', 1)[0]}`;
  return failed(line, new Failure('conflict', { name: 'user', message }));
}
