/**
 * Pages of a million users against pages of a thousand: every documented order and filter, at the beginning and deep.
 */

import { serverVariable, startPostgres } from '../support/postgres.ts';
import type { DatabaseKind } from '../support/stores.ts';
import type { Bench } from './bench.ts';
import { type Line, type LineName, line } from './lines.ts';
import { documentedCases, type ListCase, openUserList, pageSize, type UserList } from './lists.ts';
import { median, percentile } from './series.ts';

/** Requests to each, in alternation. */
const turns = 15;
const mostTurns = 4 * turns;
/** Of what is reported only; each may take a second. */
const reportedTurns = 3;
/** From here on a case is measured longer before it is believed. */
const doubtful = 1.6;

type Query = ListCase['query'];

interface Compared {
  readonly name: string;
  readonly many: number;
  readonly few: number;
}

interface Lists {
  readonly many: UserList;
  readonly few: UserList;
}

const ratioOf = ({ many, few }: Compared) => many / few;

/** Median milliseconds of both; what looks slow is asked again, since a busy machine looks slow for a moment. */
async function compare(
  { many, few }: Lists,
  name: string,
  queries: { many: Query; few: Query },
  atOnce = turns,
  most = mostTurns,
): Promise<Compared> {
  const [slow, fast]: [number[], number[]] = [[], []];
  for (;;) {
    for (let turn = 0; turn < atOnce; turn += 1) {
      slow.push((await many.get(queries.many)).milliseconds);
      fast.push((await few.get(queries.few)).milliseconds);
    }
    const compared = { name, many: median(slow), few: median(fast) };
    if (ratioOf(compared) < doubtful || slow.length >= most) return compared;
  }
}

/** A cursor to the second page, and to one in the middle; undefined where there is only one page. */
async function cursorsOf(list: UserList, query: Query): Promise<readonly [second: string, middle: string] | undefined> {
  const limit = String(pageSize);
  const { headers } = await list.get({ ...query, limit });
  const pages = Number(headers['total-pages']);
  const middle = await list.get({ ...query, limit, page: String(Math.max(1, Math.floor(pages / 2))) });
  const [first, deep] = [headers['after-cursor'], middle.headers['after-cursor']];
  return typeof first === 'string' && typeof deep === 'string' ? [first, deep] : undefined;
}

async function compareByCursor(bench: Bench, lists: Lists): Promise<Compared[]> {
  const [sample = {}] = (await lists.few.get({ limit: '1', sort: '-id' })).items;
  const compared: Compared[] = [];
  for (const { name, query } of documentedCases(sample)) {
    const [many, few] = [await cursorsOf(lists.many, query), await cursorsOf(lists.few, query)];
    // What is exactly one user has no further page.
    if (!many || !few) continue;
    for (const [depth, index] of [
      ['second page', 0],
      ['middle', 1],
    ] as const) {
      const queries = { many: { cursor: many[index] }, few: { cursor: few[index] } };
      const one = await compare(lists, `${name}, ${depth}`, queries);
      compared.push(one);
      bench.log(`${one.name}: ${one.many.toFixed(2)} ms against ${one.few.toFixed(2)}, ${ratioOf(one).toFixed(2)} ×`);
    }
  }
  return compared;
}

/** Searches of a run. */
const searches = 60;

/** As somebody types the number of an address: of a million users three digits are in some four thousand addresses. */
function* typed(users: number): Generator<Query> {
  for (let turn = 0; turn < searches; turn += 1) {
    const number = String(Math.floor((users * (turn + 1)) / (searches + 1)));
    const email = `*${number.slice(0, 3 + (turn % Math.max(1, number.length - 2)))}*`;
    yield { limit: '50', email };
  }
}

/** The 95th percentile of searches, each with its total. */
async function measureSearches({ many, few }: Lists, name: LineName, users: number): Promise<Line> {
  const [slow, fast]: [number[], number[]] = [[], []];
  for (const query of typed(users)) {
    slow.push((await many.get(query)).milliseconds);
    fast.push((await few.get(query)).milliseconds);
  }
  const [figure, against] = [percentile(slow, 0.95), percentile(fast, 0.95)];
  const peer = '1,000 users, p95: email=*123* and the like, with the total';
  return line(name, { figure, unit: 'ms', against, ratio: figure / against, peer, promised: true });
}

/** What no index makes cheap: numbered pages and what does not begin so. */
const reported: Readonly<Partial<Record<LineName, Query>>> = {
  'list/numbered': { limit: '50', page: '10' },
  'list/wildcard': { limit: '50', lastname: '*5' },
};

function lineOf(name: LineName, { name: what, many, few }: Compared, promised = true): Line {
  const figures = { figure: many, unit: 'ms', against: few, ratio: many / few };
  return line(name, { ...figures, peer: `a page of 1,000 users: ${what}`, promised });
}

async function measureOn(bench: Bench, kind: DatabaseKind): Promise<Line[]> {
  const { manyUsers, users } = bench.plan;
  bench.log(`making a list of ${manyUsers} users on ${kind}`);
  const lists = { many: await openUserList(kind, manyUsers), few: await openUserList(kind, users) };
  try {
    const worst = (await compareByCursor(bench, lists)).toSorted((a, b) => ratioOf(b) - ratioOf(a))[0];
    if (!worst) throw new Error('nothing was compared');
    const [ofPages, ofTotals, ofSearches] =
      kind === 'sqlite'
        ? (['list/million', 'list/count', 'list/search'] as const)
        : (['postgres/list', 'postgres/count', 'postgres/search'] as const);
    const totals = { limit: '50' };
    const counted = await compare(lists, 'the first, with its total', { many: totals, few: totals });
    const lines = [
      lineOf(ofPages, worst),
      lineOf(ofTotals, counted),
      await measureSearches(lists, ofSearches, manyUsers),
    ];
    if (kind === 'postgres') return lines;
    for (const [name, query] of Object.entries(reported) as [LineName, Query][]) {
      const asked = new URLSearchParams(query).toString();
      const compared = await compare(lists, asked, { many: query, few: query }, reportedTurns, reportedTurns);
      lines.push(lineOf(name, compared, false));
    }
    return lines;
  } finally {
    await lists.many.stop();
    await lists.few.stop();
  }
}

function measureListsOnSqlite(bench: Bench): Promise<Line[]> {
  return measureOn(bench, 'sqlite');
}

async function measureListsOnPostgres(bench: Bench): Promise<Line[]> {
  const postgres = startPostgres();
  process.env[serverVariable] = postgres.url;
  try {
    return await measureOn(bench, 'postgres');
  } finally {
    await postgres.stop();
    delete process.env[serverVariable];
  }
}

export async function measureLists(bench: Bench): Promise<Line[]> {
  return [...(await measureListsOnSqlite(bench)), ...(await measureListsOnPostgres(bench))];
}
