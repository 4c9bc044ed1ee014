/**
 * The index of the parts of users' texts: FTS5 with trigrams, without the texts themselves. It is kept behind the
 * writes, in slices, and finds more than it is asked for: who waits for it, and who had such a text before. Each user
 * that it finds is compared, so that what a list answers does not depend on it.
 */

import type Sqlite from 'better-sqlite3';
import type { Knex } from 'knex';
import { hour } from '../../../domain/durations.ts';
import type { ListFilter } from '../../listing.ts';
import type { IndexedSlice, SearchStanding } from '../../search.ts';
import type { Sql } from '../links.ts';
import { isWaiting, searchedTexts, textsOfUser } from '../searched-texts.ts';
import type { Cell, DbRow } from '../shape.ts';
import { onConnection, withOneCommit } from './client.ts';
import { statement } from './statements.ts';

/** Behind each text, so that what it ends with is a part as well. Nobody types it; if somebody does, more is found. */
const end = '\u0003';
/** Characters of a part. */
const partLength = 3;
/** More of them find hardly fewer. */
const mostParts = 8;

/** Parts that cover the whole text; none if it is shorter than one. */
function partsOf(text: string): string[] {
  const characters = [...text];
  const last = characters.length - partLength;
  if (last < 0) return [];
  const starts = Array.from({ length: Math.ceil(last / partLength) }, (_, place) => place * partLength);
  const parts = [...starts, last].map((start) => characters.slice(start, start + partLength).join(''));
  return [...new Set(parts)].slice(-mostParts);
}

const quoted = (part: string) => `"${part.replaceAll('"', '""')}"`;

/** What the index can be asked for a filter, part by part; nothing where it cannot tell. */
export function partsAsked(column: string, { test, values: [value] }: ListFilter): readonly string[] {
  // SQLite reads a question up to this character.
  if (typeof value !== 'string' || value.includes('\0')) return [];
  if (test !== 'holds' && test !== 'ends') return [];
  return partsOf(test === 'ends' ? `${value}${end}` : value).map((part) => `${column} : ${quoted(part)}`);
}

/** Everybody who may have all of the parts, of all accounts, but those who wait. */
export function found(parts: readonly string[]): Sql {
  return ['select rowid from user_search where user_search match ?', [parts.join(' AND ')]];
}

/** Everybody of the account who waits. */
export function waitingOf(accountId: number): Sql {
  const rows = 'select id from users indexed by users_waiting_for_search';
  return [`${rows} where account_id = ? and ${isWaiting}`, [accountId]];
}

const forgetting = 'delete from user_search where rowid = ?';

/** Takes a user out: what is found from now on, at once; what the file has of the texts, as the index is merged. */
export function forget(id: number): Sql {
  return [forgetting, [id]];
}

const waiting = `from users indexed by users_waiting_for_search where ${isWaiting} limit`;
const texts = searchedTexts.join(', ');

/** The statements that keep the index. */
const searchStatements = {
  any: `select id ${waiting} 1`,
  next: `select id, searched is not null as again, ${texts} ${waiting} ?`,
  forget: forgetting,
  add: `insert into user_search (rowid, ${texts}) values (?, ${searchedTexts.map(() => '?').join(', ')})`,
  note: `update users set searched = ${textsOfUser} where id = ?`,
  set: 'insert into user_search (user_search, rank) values (?, cast(? as integer))',
  changes: 'select total_changes() as changes',
  known: `select id, not exists (select 1 from users where users.id = known.id) as gone
    from user_search_docsize known where id > ? order by id limit ?`,
} as const;

/** Nothing else runs meanwhile. */
const mostMilliseconds = 5;

function partedText(value: unknown): Cell {
  // The index would read a text up to this character.
  return typeof value === 'string' ? `${value.replaceAll('\0', end)}${end}` : null;
}

function indexOne(connection: Sqlite.Database, row: DbRow): void {
  const id = Number(row['id']);
  if (row['again'] === 1) statement(connection, searchStatements.forget).run(id);
  statement(connection, searchStatements.add).run(id, ...searchedTexts.map((column) => partedText(row[column])));
  statement(connection, searchStatements.note).run(id);
}

/**
 * What is added makes a segment, and segments are merged before more is added, a few pages at a time: by itself FTS5
 * would merge whole ones while it adds, and nothing else would run for as long as that takes.
 */
const merging = { automerge: 0, crisismerge: 64, usermerge: 8 };
const mergedPages = 32;

const prepared = new WeakSet<Sqlite.Database>();

/** False when there was nothing to merge, for which FTS5 changes its own row alone. */
function mergeSome(connection: Sqlite.Database): boolean {
  const set = statement(connection, searchStatements.set);
  if (!prepared.has(connection)) for (const [name, value] of Object.entries(merging)) set.run(name, value);
  prepared.add(connection);
  const changes = () => Number(statement(connection, searchStatements.changes).get()?.['changes']);
  const before = changes();
  set.run('merge', mergedPages);
  return changes() - before > 1;
}

/** Entries looked at in one step of the sweep. */
const sweptAtOnce = 500;
/** From the end of a sweep to the next one. */
const sweepPauseMilliseconds = hour;

/** Where the sweep is, and when it goes on, by the clock of `performance`. */
const sweeps = new WeakMap<Sqlite.Database, { readonly after: number; readonly dueAt: number }>();

/**
 * Looks at the next entries, and takes out those whose users are gone: a process of the release before deletes users, and
 * so may a statement by hand. Ids are not given again, so that who is gone stays gone.
 */
async function sweepSome(db: Knex): Promise<void> {
  const gone = await onConnection(db, (connection) => {
    const { after, dueAt } = sweeps.get(connection) ?? { after: 0, dueAt: 0 };
    if (performance.now() < dueAt) return [];
    const rows = statement(connection, searchStatements.known).all(after, sweptAtOnce);
    const last = rows.length < sweptAtOnce ? null : Number(rows.at(-1)?.['id']);
    const next =
      last === null ? { after: 0, dueAt: performance.now() + sweepPauseMilliseconds } : { after: last, dueAt };
    sweeps.set(connection, next);
    return rows.filter((row) => row['gone'] === 1).map((row) => Number(row['id']));
  });
  if (gone.length === 0) return;
  await withOneCommit(db, (connection) => {
    for (const id of gone) statement(connection, searchStatements.forget).run(id);
    return { result: null, wrote: true };
  });
}

/** Indexes who waits; where nobody does any more, the sweep goes on. */
export async function indexSlice(db: Knex, limit: number): Promise<IndexedSlice> {
  const slice = await indexSome(db, limit);
  if (slice.isLast) await sweepSome(db);
  return slice;
}

/**
 * Merges some of the index, or indexes up to `limit` of those who wait, fewer if they take more than a few milliseconds.
 */
async function indexSome(db: Knex, limit: number): Promise<IndexedSlice> {
  const isAnyWaiting = await onConnection(
    db,
    (connection) => statement(connection, searchStatements.any).get() !== undefined,
  );
  if (!isAnyWaiting) return { indexed: 0, isLast: true };
  return withOneCommit(db, (connection) => {
    if (mergeSome(connection)) return { result: { indexed: 0, isLast: false }, wrote: true };
    const until = performance.now() + mostMilliseconds;
    const rows = statement(connection, searchStatements.next).all(limit);
    let indexed = 0;
    for (const row of rows) {
      indexOne(connection, row);
      indexed += 1;
      if (performance.now() >= until) break;
    }
    return { result: { indexed, isLast: indexed === rows.length && indexed < limit }, wrote: indexed > 0 };
  });
}

export async function findSearchStanding(db: Knex): Promise<SearchStanding> {
  const isWaited = await onConnection(
    db,
    (connection) => statement(connection, searchStatements.any).get() !== undefined,
  );
  return { state: isWaited ? 'building' : 'ready', lack: null };
}
