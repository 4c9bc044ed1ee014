import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { openAccount } from '../../support/running-account.ts';
import type { Wire } from '../../support/wire.ts';
import type { Drill, DrillOptions, DrillResult } from '../drill.ts';
import { type Nodes, openNodes } from '../nodes.ts';
import { type FailingDatabase, failingPostgres } from '../outages.ts';

const nodeCount = 4;
/** Of the limit. */
const offered = 8;
const seconds = 60;
const [awayFrom, awayUntil] = [20, 40];
/** Per cent, at four nodes (docs/operations.md#limits-across-nodes). */
const mostError = 10;

/** Limits of two accounts that are asked at the same time. */
const limits = { '300/min': { points: 300, windowSeconds: 60 }, '10/s': { points: 10, windowSeconds: 1 } } as const;
type LimitText = keyof typeof limits;

/** L11: four nodes count for one limit; their database is away for a third of the time. */
export const drill: Drill = {
  id: 'L11',
  title: 'limits across 4 nodes: 8 × the limit for 60 s, without the database, or its counts, for 20 s',
  rounds: 1,
  quickRounds: null,
  run: async (options) => {
    const failing = await failingPostgres();
    // The machine is busy with four nodes and a database.
    const env = { DATABASE_URL: failing.url, DATABASE_WAIT_MILLISECONDS: '5000' };
    const nodes = await openNodes('postgres', [], nodeCount, env).catch(async (error) => {
      await failing.dispose();
      throw error;
    });
    try {
      return await runOn(nodes, failing, options);
    } finally {
      await nodes.dispose();
      await failing.dispose();
    }
  },
};

async function runOn(nodes: Nodes, failing: FailingDatabase, { rounds, log }: DrillOptions): Promise<DrillResult> {
  const gone = failing.outages.find(({ name }) => name === 'gone');
  const outages = { 'the database is gone': gone, 'the counts are locked': lockedCounts(failing.url) };
  const figures: Record<string, number | string> = {};
  let holds = true;
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, outage] of Object.entries(outages)) {
      const offers = await Promise.all(Object.keys(limits).map((text) => prepare(nodes, text as LimitText)));
      const ended = Promise.all(offers.map((offer) => offer()));
      await delay(awayFrom * 1000);
      await outage?.begin();
      await delay((awayUntil - awayFrom) * 1000);
      await outage?.end();
      for (const { text, statuses, accepted, expected } of await ended) {
        const error = (100 * (accepted - expected)) / expected;
        const where = `${name}, ${text}, round ${round + 1}`;
        figures[`${where}: answers`] = JSON.stringify(statuses);
        figures[`${where}: accepted of`] = `${accepted} of ${expected}, ${error.toFixed(1)} %`;
        const odd = Object.keys(statuses).filter((status) => !['200', '429'].includes(status));
        const mayFail = outage === gone;
        if (Math.abs(error) > mostError || odd.some((status) => !mayFail || status !== '503')) {
          log(`${where}: ${JSON.stringify(statuses)}, ${error.toFixed(1)} %`);
          holds = false;
        }
      }
    }
  }
  return { figures, holds };
}

/** What only the nodes' telling each other needs. */
function lockedCounts(url: string) {
  const client = new pg.Client({ connectionString: url });
  return {
    begin: async () => {
      await client.connect();
      await client.query('begin; lock table limit_counts in access exclusive mode');
    },
    end: () => client.end(),
  };
}

interface Offered {
  readonly text: LimitText;
  readonly statuses: Readonly<Record<string, number>>;
  readonly accepted: number;
  readonly expected: number;
}

/** A new account with the limit, and what offers calls to all nodes, in turn and at even intervals. */
async function prepare(nodes: Nodes, text: LimitText): Promise<() => Promise<Offered>> {
  const [first, ...others] = nodes.services;
  if (!first) throw new Error('no server runs');
  const account = await openAccount(first, [`limit.api-2=${text}`]);
  const wires = [account.wire, ...others.map((service) => account.through(service))];
  const headers = { authorization: `Bearer ${await account.bearer('read_users')}` };
  return async () => {
    const answers = await offer(wires, headers, limits[text]);
    account.close();
    return { text, ...judge(answers, limits[text]) };
  };
}

interface TimedStatus {
  readonly at: number;
  readonly status: number;
}

type Limit = (typeof limits)[LimitText];

async function offer(
  wires: readonly Wire[],
  headers: Readonly<Record<string, string>>,
  { points, windowSeconds }: Limit,
): Promise<TimedStatus[]> {
  const interval = (1000 * windowSeconds) / (offered * points);
  const calls: Promise<TimedStatus>[] = [];
  const start = performance.now();
  // It stops before a second window of a minute begins.
  for (let sent = 0; sent * interval < seconds * 1000 - 500; sent += 1) {
    await delay(Math.max(0, start + sent * interval - performance.now()));
    const at = performance.now() - start;
    const call = wires[sent % wires.length]?.send('GET', '/api/2/users?limit=1', { headers });
    calls.push(Promise.resolve(call).then((answer) => ({ at, status: answer?.status ?? 0 })));
  }
  return Promise.all(calls);
}

/** A second without an answer is none in which the limit could be used. */
function judge(answers: readonly TimedStatus[], { points, windowSeconds }: Limit): Omit<Offered, 'text'> {
  const statuses: Record<string, number> = {};
  for (const { status } of answers) statuses[status] = (statuses[status] ?? 0) + 1;
  const failed = answers.filter(({ status }) => status === 503).map(({ at }) => at);
  const without = failed.length > 0 ? (Math.max(...failed) - Math.min(...failed)) / 1000 : 0;
  const windows = windowSeconds >= seconds ? 1 : (seconds - without) / windowSeconds;
  return { statuses, accepted: statuses[200] ?? 0, expected: Math.round(points * windows) };
}
