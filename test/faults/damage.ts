/** Ways in which a database, its log and its master key are found damaged, and copies of them to damage. */

import { randomBytes, randomInt } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  cpSync,
  fstatSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';

export interface Files {
  readonly database: string;
  readonly masterKey: string;
}

/** The files of an installation whose database is SQLite. */
export function filesIn(folder: string): Files {
  return { database: join(folder, 'gatehouse.db'), masterKey: join(folder, 'master.key') };
}

export interface Damage {
  readonly title: string;
  apply(files: Files): void;
  /** What the refusal says: the file, what is wrong with it, and what to do. */
  readonly said: RegExp;
  /** `db status` looks at no master key. */
  readonly concerns: 'database' | 'master key';
}

const restore = /restore it from your backup/.source;

function damage(title: string, said: string, apply: (files: Files) => void): Damage {
  return { title, said: new RegExp(`gatehouse\\.db${said}.*${restore}`), apply, concerns: 'database' };
}

function damagedKey(title: string, said: string, apply: (files: Files) => void): Damage {
  return { title, said: new RegExp(`master\\.key${said}`), apply, concerns: 'master key' };
}

export const damages: readonly Damage[] = [
  damage('a database of no length', ' is empty', ({ database }) => truncateSync(database)),
  damage('no database where there is a master key', ' does not exist', ({ database }) => rmSync(database)),
  damage('a database that was cut off', ' is damaged.*SQLITE_CORRUPT', ({ database }) =>
    truncateSync(database, statSync(database).size >> 1),
  ),
  damage('a file that is not a database', ' is damaged.*SQLITE_NOTADB', ({ database }) =>
    writeFileSync(database, randomBytes(100_000)),
  ),
  damage('a database whose first page is damaged', ' is damaged.*SQLITE_', ({ database }) =>
    writeAt(database, 100, randomBytes(3996)),
  ),
  {
    title: 'a database migrated by a newer release',
    said: /a newer release has migrated this database \(9999_later\): start that release, or restore/,
    concerns: 'database',
    apply: ({ database }) =>
      execute(database, "insert into migrations (name, batch, migration_time) values ('9999_later', 9, 0)"),
  },
  damagedKey('no master key', ' is missing although the database contains data.*restore it', ({ masterKey }) =>
    rmSync(masterKey),
  ),
  damagedKey('another master key', ' is not the master key that this database was sealed with', ({ masterKey }) =>
    writeFileSync(masterKey, randomBytes(32).toString('base64')),
  ),
  damagedKey('a master key that is too short', ' does not contain a master key \\(32 bytes', ({ masterKey }) =>
    writeFileSync(masterKey, randomBytes(16).toString('base64')),
  ),
  damagedKey('a master key of no length', ' does not contain a master key \\(32 bytes', ({ masterKey }) =>
    truncateSync(masterKey),
  ),
  damagedKey(
    'a master key that others may read',
    ' are too open \\(mode 0644\\); run: chmod 600 .*master\\.key',
    ({ masterKey }) => chmodSync(masterKey, 0o644),
  ),
];

export function execute(database: string, statements: string): void {
  const db = new Sqlite(database);
  db.exec(statements);
  db.close();
}

export function writeAt(file: string, position: number, bytes: Buffer): void {
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, bytes, 0, bytes.length, position);
  closeSync(descriptor);
}

/** Overwrites the root page of a table, which is not cached until a query reads the table. */
export function damageTable(database: string, table: string): void {
  const db = new Sqlite(database);
  const root = db.prepare('select rootpage from sqlite_master where name = ?').pluck().get(table) as number;
  const size = db.pragma('page_size', { simple: true }) as number;
  db.pragma('wal_checkpoint(truncate)');
  db.close();
  writeAt(database, (root - 1) * size, randomBytes(size));
}

/** As a process leaves them that was killed: a log that is not in the database file yet. */
export function copyAsKilled(from: string, to: string): void {
  for (const suffix of ['', '-wal', '-shm']) cpSync(from + suffix, to + suffix);
}

/** What happens by chance to a file of an SQLite database as `copyAsKilled` left it. */
export const accidents: Readonly<Record<string, (database: string) => void>> = {
  'a page overwritten': (database) => {
    dropLog(database);
    const pages = statSync(database).size / 4096;
    writeAt(database, randomInt(pages) * 4096, randomBytes(4096));
  },
  'the file cut off': (database) => {
    dropLog(database);
    truncateSync(database, randomInt(statSync(database).size));
  },
  'the log cut off': (database) => truncateSync(`${database}-wal`, randomInt(statSync(`${database}-wal`).size)),
  'the log gone': (database) => rmSync(`${database}-wal`),
  'a byte of the log changed': (database) => {
    const descriptor = openSync(`${database}-wal`, 'r+');
    // Of a frame: of the header only what names the log counts.
    const at = randomInt(32, fstatSync(descriptor).size);
    const byte = readFileSync(`${database}-wal`)[at] ?? 0;
    writeSync(descriptor, Buffer.of(byte ^ (1 << randomInt(8))), 0, 1, at);
    closeSync(descriptor);
  },
};

/** Moves the contents of the WAL into the database file. */
function dropLog(database: string): void {
  execute(database, 'pragma wal_checkpoint(truncate)');
}
