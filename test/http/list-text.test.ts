/** How the text of a list is read and written. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Account } from '../../src/domain/accounts/account.ts';
import { actAs } from '../../src/domain/audit/context.ts';
import type { ListPage, ListQuery } from '../../src/domain/listing.ts';
import { type WrittenPage, writePage } from '../../src/http/list-text.ts';
import { TextParts } from '../../src/http/text-parts.ts';
import type { Services } from '../../src/services.ts';

interface Item {
  readonly id: number;
  readonly text: string;
}

const account = { id: 1 } as Account;
const sort = { field: 'id', descending: false };
const most = 1000;

/** Items with texts of these lengths; `lost` are gone when they are read by their ids. */
function listOf(lengths: readonly number[], lost: readonly number[] = []) {
  const all = lengths.map((length, place): Item => ({ id: place + 1, text: 'x'.repeat(length) }));
  const reads: (number | 'ids' | 'all')[] = [];
  let failing: number | null = null;
  const read = async ({ part, limit }: ListQuery): Promise<ListPage<Item>> => {
    const page = { before: null, after: null, total: all.length, ids: all.slice(0, limit).map(({ id }) => id) };
    if (part === undefined || part === 'ids') {
      reads.push(part ?? 'all');
      return { ...page, items: part === 'ids' ? [] : all.slice(0, limit) };
    }
    reads.push(part.length);
    if (failing !== null && part.includes(failing)) throw new Error('the store is gone');
    const there = all.filter(({ id }) => part.includes(id) && !lost.includes(id));
    return { items: there, before: null, after: null, total: null };
  };
  const failAt = (id: number) => {
    failing = id;
  };
  const left = all.filter(({ id }) => !lost.includes(id));
  return { read, reads, failAt, text: JSON.stringify(left), shown: ({ id, text }: Item) => ({ id, text }) };
}

/** Lists of one API key. */
function writing() {
  const services = { store: {} as Services['store'] };
  return ({ read, shown }: ReturnType<typeof listOf>, limit = most) =>
    actAs({ actor: { type: 'API', id: 1 }, source: null, requestId: null }, () =>
      writePage(services, account, { sort, filters: [], limit, at: { page: 1 } }, read, shown),
    );
}

function partsOf({ json }: WrittenPage) {
  assert.ok(json instanceof TextParts);
  return json.text;
}

async function piecesOf(page: WrittenPage): Promise<string[]> {
  const { first, rest } = partsOf(page);
  const pieces = [first];
  for await (const piece of rest) pieces.push(piece);
  return pieces;
}

/** Counts the turns of other work. */
function countTurns() {
  let turns = 0;
  let isOver = false;
  const turn = () => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const end = () => {
    isOver = true;
  };
  return { count: () => turns, end };
}

describe('the text of a list', () => {
  it('a page of up to 50 items is read at once and sent as a whole', async () => {
    const list = listOf(Array.from({ length: 50 }, () => 1000));
    const { json, count } = await writing()(list, 50);
    assert.deepEqual([json, count, list.reads], [list.text, 50, ['all']]);
    const none = listOf([]);
    assert.equal((await writing()(none)).json, '[]');
    assert.equal((await writing()(none, 50)).json, '[]');
  });

  it('a longer page of short items is read in slices and sent as a whole', async () => {
    const list = listOf(Array.from({ length: 120 }, () => 1000));
    const { json, count } = await writing()(list);
    assert.deepEqual([json, count, list.reads], [list.text, 120, ['ids', 50, 50, 20]]);
  });

  it('a long page is sent in pieces, of which no more are read than its client takes', async () => {
    const list = listOf(Array.from({ length: 150 }, () => 100_000));
    const page = await writing()(list);
    const before = list.reads.length;
    const { rest } = partsOf(page);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(list.reads.length, before, 'nothing is read ahead');
    assert.deepEqual(
      list.reads.slice(0, 3),
      ['ids', 50, 1],
      'from the beginning, with one item, after the first slice',
    );
    await rest.next();
    const pieces = await piecesOf(await writing()(list));
    assert.equal(pieces.join(''), list.text);
    assert.ok(Math.max(...pieces.map(({ length }) => length)) < 400_000);
    assert.ok(Math.max(...list.reads.slice(2).map(Number).filter(Number.isFinite)) <= 50);
    const inTurn = list.reads.slice(list.reads.lastIndexOf('ids') + 2).map(Number);
    assert.ok(Math.max(...inTurn) <= 4, `${inTurn}`);
    await rest.return(undefined);
  });

  it('other work gets its turn between slices, and between pieces of one', async () => {
    for (const lengths of [Array.from({ length: 500 }, () => 10), Array.from({ length: 60 }, () => 300_000)]) {
      const list = listOf(lengths);
      const turns = countTurns();
      const seen: number[] = [];
      const read: typeof list.read = (query) => {
        seen.push(turns.count());
        return list.read(query);
      };
      const page = await writing()({ ...list, read });
      if (page.json instanceof TextParts) for await (const _ of page.json.text.rest) seen.push(turns.count());
      turns.end();
      const distinct = new Set(seen).size;
      // The ids and the first slice are read without one, as is the end of the array.
      assert.ok(distinct >= seen.length / 2 && distinct >= lengths.length / 50, `${seen}`);
    }
  });

  it('fifty long items at once are read again in slices', async () => {
    const list = listOf(Array.from({ length: 50 }, () => 100_000));
    const page = await writing()(list, 50);
    assert.equal((await piecesOf(page)).join(''), list.text);
    assert.deepEqual(list.reads.slice(0, 3), ['all', 1, 2]);
    assert.equal(page.count, 50);
  });

  it('items that are gone meanwhile are left out', async () => {
    const gone = [1, 2, 3, 51, 60];
    for (const length of [10, 100_000]) {
      const list = listOf(
        Array.from({ length: 60 }, () => length),
        gone,
      );
      const page = await writing()(list);
      const text = typeof page.json === 'string' ? page.json : (await piecesOf(page)).join('');
      assert.equal(text, list.text);
    }
    const all = Array.from({ length: 60 }, (_, place) => place + 1);
    const list = listOf(
      all.map(() => 10),
      all,
    );
    assert.equal((await writing()(list)).json, '[]');
  });

  it('a long page has a turn from its first piece to its end, whatever becomes of it', async () => {
    const write = writing();
    const lengths = Array.from({ length: 60 }, () => 100_000);
    const whole = await write(listOf(lengths));
    const failed = listOf(lengths);
    const other = await write(failed);
    const list = listOf(lengths);
    let isThere = false;
    const third = write(list).then((page) => {
      isThere = true;
      return page;
    });
    const short = await write(listOf([10]));
    assert.equal(short.json, listOf([10]).text, 'a short one waits for none');
    for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual([isThere, list.reads], [false, ['ids', 50]], 'nothing is read while it waits');
    failed.failAt(60);
    await assert.rejects(piecesOf(other), /the store is gone/);
    await partsOf(await third).rest.return(undefined);
    await piecesOf(whole);
    for (let more = 0; more < 3; more += 1) await piecesOf(await write(listOf(lengths)));
  });

  it('what fails before the first piece is thrown, and holds no turn', async () => {
    const write = writing();
    const list = listOf(Array.from({ length: 60 }, () => 100_000));
    list.failAt(1);
    for (let more = 0; more < 3; more += 1) await assert.rejects(write(list), /the store is gone/);
    list.failAt(-1);
    for (let more = 0; more < 3; more += 1) await piecesOf(await write(list));
  });
});
