/**
 * Has each commit of better-sqlite3 wait 2 ms longer, as for a disk on which a flush takes that: its thread does nothing
 * else meanwhile. Transactions that change nothing are not flushed and do not wait. Statements that better-sqlite3 makes
 * for itself (`transaction`) are not seen.
 *
 *     node --import ./test/bench/slow-disk.ts <program>
 */
import Sqlite from 'better-sqlite3';
import { slowFlushMilliseconds } from './plan.ts';

/** How many commits have waited. */
export const waited = { commits: 0 };

interface Changes {
  /** How many rows the connection ever changed. */
  readonly count: Sqlite.Statement<[], number>;
  /** As many of them are on the disk, or were undone. */
  settled: number;
}

/** Nobody changes it: to wait for a change of it is to sleep. */
const never = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
const changesOf = new WeakMap<Sqlite.Database, Changes>();
const { prepare, exec } = Sqlite.prototype;

/** After a statement: waits if it was the end of a transaction that changed rows. */
function settle(db: Sqlite.Database, text: string): void {
  if (!db.open || db.inTransaction) return;
  const changes = changesOf.get(db) ?? begin(db);
  const count = changes.count.get() ?? 0;
  if (count === changes.settled) return;
  changes.settled = count;
  if (/^\s*rollback/i.test(text)) return;
  waited.commits += 1;
  Atomics.wait(never, 0, 0, slowFlushMilliseconds);
}

function begin(db: Sqlite.Database): Changes {
  const count = prepare.call(db, 'select total_changes()').pluck() as Sqlite.Statement<[], number>;
  const changes = { count, settled: 0 };
  changesOf.set(db, changes);
  return changes;
}

/** What ends a transaction writes nothing by itself. */
const endsTransaction = /^\s*(?:commit|end|release|rollback)\b/i;

function preparePatched(this: Sqlite.Database, text: string): Sqlite.Statement {
  const statement = prepare.call(this, text);
  if (statement.readonly && !endsTransaction.test(text)) return statement;
  for (const way of ['run', 'get', 'all'] as const) {
    const original = statement[way].bind(statement) as (...values: unknown[]) => never;
    statement[way] = (...values: unknown[]) => {
      const answer = original(...values);
      settle(this, text);
      return answer;
    };
  }
  return statement;
}

function execPatched(this: Sqlite.Database, text: string): Sqlite.Database {
  exec.call(this, text);
  settle(this, text);
  return this;
}

Object.assign(Sqlite.prototype, { prepare: preparePatched, exec: execPatched });
