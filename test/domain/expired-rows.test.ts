import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type PurgeOptions, purgeContinually } from '../../src/domain/expired-rows.ts';
import type { Log, LogFields } from '../../src/services.ts';
import { type Purge, type PurgedTable, type SliceWanted, sweptTables } from '../../src/store/purge.ts';
import type { Store } from '../../src/store/store.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** Rows of one table that become due at a steady rate; the first of those that wait was due when time began. */
interface Backlog {
  waiting: number;
  readonly perSecond: number;
}

/** Housekeeping on rows that are only counted, in a time that only its slices and rests take. */
function course(backlogs: Partial<Record<PurgedTable, Backlog>>, milliseconds: number, sliceMilliseconds = 15) {
  const begin = 1_000_000_000_000;
  const stop = new AbortController();
  const lines: (LogFields & { readonly event: string })[] = [];
  const note = (event: string, fields: LogFields = {}) => void lines.push({ event, ...fields });
  const log: Log = { debug: note, info: note, warn: note, error: note };
  const overdue = new Map<PurgedTable, number>();
  const slices: (SliceWanted & { readonly at: number })[] = [];
  const looks: number[] = [];
  const rests: number[] = [];
  const deleted = new Map<PurgedTable, number>();
  let time = 0;

  function pass(by: number): void {
    time += by;
    for (const backlog of Object.values(backlogs)) backlog.waiting += (backlog.perSecond * by) / second;
    if (time >= milliseconds) stop.abort();
  }
  /** Since when the oldest is due: the rows before it came at the rate of the table. */
  function dueSince({ waiting, perSecond }: Backlog): number {
    return Math.max(begin, begin + time - (perSecond === 0 ? time : (waiting / perSecond) * second));
  }
  const tables = () => Object.entries(backlogs) as [PurgedTable, Backlog][];
  const store: Purge = {
    findOverdue: async () => {
      looks.push(time);
      const due = tables().filter(([table, { waiting }]) => waiting >= 1 && !isSwept(table));
      return new Map(due.map(([table, backlog]) => [table as never, dueSince(backlog)]));
    },
    purge: async (wanted) => {
      slices.push({ ...wanted, at: time });
      pass(sliceMilliseconds);
      const backlog = backlogs[wanted.table];
      const rows = Math.min(wanted.limit, Math.floor(backlog?.waiting ?? 0));
      if (backlog) backlog.waiting -= rows;
      return {
        deleted: rows,
        reached: [slices.length],
        isLast: rows < wanted.limit,
        overdueSince: backlog && rows > 0 && !isSwept(wanted.table) ? dueSince(backlog) : null,
      };
    },
  };
  const options: PurgeOptions = {
    trustedNow: () => begin + time,
    monotonic: () => time,
    rest: async (ms) => {
      rests.push(ms);
      pass(ms);
    },
    signal: stop.signal,
    report: {
      deleted: (table, rows) => void deleted.set(table, (deleted.get(table) ?? 0) + rows),
      overdue: (table, ms) => void overdue.set(table, ms),
    },
  };
  const run = (parts: Partial<Purge & PurgeOptions> = {}) =>
    purgeContinually({ store: { ...store, ...parts } as unknown as Store, log }, { ...options, ...parts });
  const events = (event: string) => lines.filter((line) => line.event === event);
  return { run, store, options, stop, pass, lines, events, slices, looks, rests, overdue, deleted, time: () => time };
}

function isSwept(table: PurgedTable): boolean {
  return (sweptTables as readonly string[]).includes(table);
}

describe('expired rows', () => {
  it('are deleted as fast as they expire: 3,000 a second, with a backlog of 5 million and 15 ms per slice', async () => {
    const tokens = { waiting: 5_000_000, perSecond: 3000 };
    const { run, overdue, deleted, slices, rests, time } = course({ access_tokens: tokens }, 40 * minute);
    await run();
    assert.ok(tokens.waiting <= 3000 * 6, `${tokens.waiting} rows wait`);
    assert.ok((overdue.get('access_tokens') ?? Number.POSITIVE_INFINITY) <= 6 * second);
    assert.ok((deleted.get('access_tokens') ?? 0) > 12_000_000);
    // Others have their turn: most of the time it rests.
    assert.ok(slices.length * 15 < time() / 4);
    assert.ok(rests.every((milliseconds) => milliseconds >= 5));
  });

  it('that are late cause one warning, and one message when the backlog is gone', async () => {
    const tokens = { waiting: 3000 * 60 * 11, perSecond: 3000 };
    const late = course({ access_tokens: tokens }, hour, 15);
    late.pass(11 * minute);
    await late.run();
    const told = ({ event, table }: { readonly event: string; readonly table?: string }) => `${event}: ${table}`;
    assert.deepEqual(late.lines.filter(({ event }) => event !== 'expired rows deleted').map(told), [
      'housekeeping is behind: access_tokens',
      'housekeeping has caught up: access_tokens',
    ]);
    const [warning] = late.events('housekeeping is behind');
    assert.ok((warning?.milliseconds ?? 0) > 10 * minute);
    const inTime = course({ access_tokens: { waiting: 0, perSecond: 3000 } }, hour);
    await inTime.run();
    assert.deepEqual(inTime.events('housekeeping is behind'), []);
  });

  it('are counted in the log once a minute and at the end', async () => {
    const { run, events, deleted } = course({ sessions: { waiting: 0, perSecond: 100 } }, 5 * minute + second);
    await run();
    const counts = events('expired rows deleted').map(({ count = 0 }) => count);
    assert.ok(counts.length >= 5 && counts.length <= 6, counts.join());
    assert.equal(
      counts.reduce((sum, count) => sum + count, 0),
      deleted.get('sessions'),
    );
  });

  it('of a small table do not wait for those of a large one', async () => {
    const { run, slices } = course(
      { access_tokens: { waiting: 1_000_000, perSecond: 0 }, codes: { waiting: 1200, perSecond: 0 } },
      10 * second,
    );
    await run();
    const codes = slices.flatMap(({ table }, index) => (table === 'codes' ? index : []));
    assert.equal(codes.length, 3);
    assert.ok(Math.max(...codes) < 12, codes.join());
  });

  it('of a failing table block no other, and the warning is not repeated for a minute', async () => {
    const few = { waiting: 10, perSecond: 0 };
    const failing = course({ access_tokens: { waiting: 10, perSecond: 0 }, codes: few }, 150 * second);
    await failing.run({
      purge: async (wanted) => {
        if (wanted.table === 'access_tokens') throw new Error('the page is damaged');
        return failing.store.purge(wanted);
      },
    });
    assert.equal(few.waiting, 0);
    const failures = failing.events('housekeeping failed');
    assert.equal(failures.length, 3);
    assert.equal(failures[0]?.table, 'access_tokens');
    assert.match(failures[0]?.stack ?? '', /the page is damaged/);
  });

  it('are looked for again a minute after the store was unavailable', async () => {
    const away = course({}, 150 * second);
    await away.run({ findOverdue: () => Promise.reject(new Error('the store is away')) });
    assert.equal(away.events('housekeeping failed').length, 3);
  });

  it('of tables without an index are swept fully each hour, and skipped rows are revisited as often', async () => {
    const grants = { waiting: 0, perSecond: 0.25 };
    const { run, slices } = course({ grants, sessions: { waiting: 0, perSecond: 1 } }, 2.5 * hour);
    await run();
    const starts = (table: PurgedTable) => slices.filter((slice) => slice.table === table && slice.from === null);
    const sweeps = starts('grants').map(({ at }) => Math.floor(at / minute / 10));
    assert.deepEqual(sweeps, [0, 6, 12]);
    // Nothing, and twice what an hour brings: 900 rows.
    assert.equal(slices.filter(({ table }) => table === 'grants').length, 1 + 2 + 2);
    assert.equal(starts('sessions').length, 3);
  });

  it('a long sweep counts as late from the time it should have ended', async () => {
    const { run, overdue, events } = course({ grants: { waiting: 100_000_000, perSecond: 0 } }, 12 * minute);
    await run();
    assert.ok((overdue.get('grants') ?? 0) >= 11 * minute);
    assert.equal(events('housekeeping is behind').length, 1);
  });

  it('are kept from the moment the clock jumps', async () => {
    const jumping = course({ access_tokens: { waiting: 1_000_000, perSecond: 0 } }, minute);
    const trusted = () => (jumping.slices.length >= 3 ? null : jumping.options.trustedNow());
    await jumping.run({ trustedNow: trusted });
    assert.equal(jumping.slices.length, 3);
  });

  it('are kept when the service stops, which waits for one slice at most', async () => {
    const stopping = course({ access_tokens: { waiting: 1_000_000, perSecond: 0 } }, minute);
    await stopping.run({
      purge: (wanted) => {
        stopping.stop.abort();
        return stopping.store.purge(wanted);
      },
    });
    assert.equal(stopping.slices.length, 1);
    assert.equal(stopping.events('expired rows deleted')[0]?.count, stopping.slices[0]?.limit);
  });
});
