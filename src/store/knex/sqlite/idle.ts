import Sqlite from 'better-sqlite3';
import { Failure } from '../../../domain/failure.ts';
import { isBusy } from '../errors.ts';

/**
 * Throws `unavailable` while anybody has the file open: every connection has a lock on it that nobody can have alone
 * then.
 */
export async function requireIdle(url: string): Promise<void> {
  const filename = url.slice('sqlite:'.length);
  const alone = new Sqlite(filename, { timeout: 0, fileMustExist: true });
  try {
    alone.pragma('locking_mode = exclusive');
    alone.exec('begin immediate; rollback');
  } catch (error) {
    if (!isBusy(error)) throw error;
    const message = `${filename} is in use: stop the service first, and every command that uses it`;
    throw new Failure('unavailable', { name: 'store', message }, { cause: error });
  } finally {
    alone.close();
  }
}
