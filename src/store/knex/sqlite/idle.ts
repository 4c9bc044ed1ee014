import Sqlite from 'better-sqlite3';
import { Failure } from '../../../domain/failure.ts';
import { isBusy } from '../errors.ts';
import type { Held } from '../idle.ts';

/** Throws `unavailable` while anybody has the file open; otherwise nobody can write to it until it is let go. */
export function hold(url: string): Held {
  const filename = url.slice('sqlite:'.length);
  try {
    // Every connection has a lock on the file that nobody can have alone then.
    withFile(filename, (alone) => alone.exec('pragma locking_mode = exclusive; begin immediate; rollback'));
    const writer = new Sqlite(filename, { timeout: 0, fileMustExist: true });
    writer.exec('begin immediate');
    return { confirm: async () => {}, release: async () => void writer.close() };
  } catch (error) {
    if (!isBusy(error)) throw error;
    const message = `${filename} is in use: stop the service first, and every command that uses it`;
    throw new Failure('unavailable', { name: 'store', message }, { cause: error });
  }
}

function withFile(filename: string, work: (connection: Sqlite.Database) => void): void {
  const connection = new Sqlite(filename, { timeout: 0, fileMustExist: true });
  try {
    work(connection);
  } finally {
    connection.close();
  }
}
