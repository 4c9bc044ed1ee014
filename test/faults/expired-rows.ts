/** Rows that expire: put into a database past the store, by the million, and counted. */

import Sqlite from 'better-sqlite3';
import pg from 'pg';

const hour = 3_600_000;

export interface Expiring {
  /** When all that wait are due to be deleted, in milliseconds since the epoch; from then on others become due. */
  readonly dueAt: number;
  readonly waiting: number;
  /** So many of each second from then on. */
  readonly perSecond: number;
  readonly seconds: number;
}

/** Rows of one kind; `due` is the time at which row `i` (from 1) is due. */
interface Sown {
  readonly table: string;
  readonly count: number;
  readonly insert: string;
}

/** Of 50 tokens, one note of a request that has ended: its key is random, so that each lies on its own page. */
const tokensPerNote = 50;

function sownRows({ dueAt, waiting, perSecond, seconds }: Expiring): Sown[] {
  const kinds = (every: number, keep: number) => {
    const [first, rate] = [Math.round(waiting / every), perSecond / every];
    const expiresAt = `${dueAt - keep} + case when i > ${first} then cast((i - ${first}) * ${1000 / rate} as bigint) else 0 end`;
    return { count: first + Math.round(rate * seconds), expiresAt };
  };
  const [tokens, notes] = [kinds(1, hour), kinds(tokensPerNote, 0)];
  return [
    {
      table: 'access_tokens',
      count: tokens.count,
      insert: `insert into access_tokens (account_id, digest, app_id, scope, issued_at, expires_at)
        select (select min(id) from accounts), 'expired token of a drill ' || i, 1, '["openid","profile"]', 0, ${tokens.expiresAt}`,
    },
    {
      table: 'ended_requests',
      count: notes.count,
      insert: `insert into ended_requests (account_id, digest, expires_at)
        select (select min(id) from accounts), 'expired note of a drill ' || ((i * 7919) % 1000003) || '-' || i, ${notes.expiresAt}`,
    },
  ];
}

/** Rows per statement: a service running on SQLite should not wait for more. */
const rowsAtOnce = 20_000;

export async function sowExpiring(url: string, expiring: Expiring): Promise<void> {
  const run = await openDatabase(url);
  try {
    for (const { count, insert } of sownRows(expiring)) {
      for (let from = 1; from <= count; from += rowsAtOnce) {
        const to = Math.min(count, from + rowsAtOnce - 1);
        await run.rows(`${insert} from (with recursive numbers (i) as (
          select ${from} union all select i + 1 from numbers where i < ${to}) select i from numbers) as numbered`);
      }
    }
    if (!url.startsWith('sqlite:')) await run.rows('analyze access_tokens, ended_requests');
  } finally {
    await run.close();
  }
}

/** How many rows are due at `now` and still there. */
export async function countDue(url: string, now: number): Promise<number> {
  const run = await openDatabase(url);
  try {
    const [row] = await run.rows(`select (select count(*) from access_tokens where expires_at <= ${now - hour})
      + (select count(*) from ended_requests where expires_at <= ${now}) as due`);
    return Number(row?.['due']);
  } finally {
    await run.close();
  }
}

interface Database {
  rows(statement: string): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

async function openDatabase(url: string): Promise<Database> {
  if (url.startsWith('sqlite:')) {
    const database = new Sqlite(url.slice('sqlite:'.length), { timeout: 60_000 });
    return {
      rows: async (text) => {
        const statement = database.prepare<[], Record<string, unknown>>(text);
        if (statement.reader) return statement.all();
        statement.run();
        return [];
      },
      close: async () => void database.close(),
    };
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return { rows: async (text) => (await client.query(text)).rows ?? [], close: () => client.end() };
}
