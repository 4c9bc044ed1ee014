/**
 * Commits in each way that servers of the bench do, and prints how many commits the log of the database got, how many
 * waited, and how long all of it took.
 *
 *     node --import ./test/bench/slow-disk.ts test/bench/slow-commits.ts <folder>
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onConnection, withOneCommit } from '../../src/store/knex/sqlite/client.ts';
import { openSqlite } from '../../src/store/knex/sqlite/engine.ts';
import { waited } from './slow-disk.ts';

const file = join(process.argv[2] ?? '.', 'slow.db');
const { db, close } = openSqlite({ url: `sqlite:${file}`, log: () => {}, waitMilliseconds: 1_000 });
// Of the name of one that Gatehouse has, for it knows what each write entails.
await db.raw('create table facts (id integer primary key, name text)');
await db.raw("insert into facts (name) values ('of the first')");

const headerBytes = 32;
const frameHeaderBytes = 24;

/** Frames of the log that end a commit (https://www.sqlite.org/fileformat.html#the_write_ahead_log). */
function countCommits(): number {
  const log = readFileSync(`${file}-wal`);
  const salts = log.subarray(16, 24);
  let commits = 0;
  for (let at = headerBytes; at < log.length; at += frameHeaderBytes + log.readUInt32BE(8)) {
    const isCommit = log.readUInt32BE(at + 4) > 0;
    if (isCommit && log.subarray(at + 8, at + 16).equals(salts)) commits += 1;
  }
  return commits;
}

const [commitsBefore, waitedBefore] = [countCommits(), waited.commits];
const startedAt = performance.now();

// As Gatehouse does.
await withOneCommit(db, (connection) => {
  const add = connection.prepare('insert into facts (name) values (?)');
  for (const name of ['one', 'two']) add.run(name);
  return { result: null, wrote: true };
});
await db('facts').insert({ name: 'three' });
await db.transaction(async (tx) => {
  await tx('facts').insert({ name: 'four' });
  await tx('facts').where({ name: 'four' }).update({ name: 'five' });
});

// As its peers do.
await onConnection(db, (connection) => {
  connection.exec('begin immediate');
  connection.prepare('insert into facts (name) values (?)').run('six');
  connection.exec('commit');
  connection.prepare('update facts set name = ? where id = 1').run('seven');
  connection.prepare('delete from facts where id = 1 returning name').get();
});

// What changes nothing.
await db('facts').where({ name: 'unknown' }).delete();
await db('facts').select('name');
await onConnection(db, (connection) => {
  connection.exec('begin immediate');
  connection.prepare('insert into facts (name) values (?)').run('eight');
  connection.exec('rollback');
  connection.exec('begin');
  connection.prepare('select * from facts').all();
  connection.exec('commit');
});

const milliseconds = performance.now() - startedAt;
const [commits, delays] = [countCommits() - commitsBefore, waited.commits - waitedBefore];
await close();
process.stdout.write(JSON.stringify({ commits, delays, milliseconds }));
