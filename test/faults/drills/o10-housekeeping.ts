import { setTimeout as delay } from 'node:timers/promises';
import { startGenerator } from '../../bench/generator-process.ts';
import type { Measurement } from '../../bench/target.ts';
import { clientAuthentication } from '../../support/sign-in.ts';
import type { DatabaseKind } from '../../support/stores.ts';
import { type Drill, type DrillOptions, type DrillResult, onEachDatabase } from '../drill.ts';
import { countDue, sowExpiring } from '../expired-rows.ts';
import { type Nodes, openNodes } from '../nodes.ts';

const second = 1000;
/** Become due in each second, as many as the service issues when it does nothing else. */
const duePerSecond = 3000;
/** Wait when housekeeping begins, for each second of load: 5 million in ten minutes. */
const waitingPerRound = 8334;
const connections = 32;
const warmUpMilliseconds = 3 * second;
/** Of the load before the rows are due, and of that after they are gone. */
const mostCalmSeconds = 60;
/** Longer than inserting a row takes. */
const sowingMilliseconds = 0.02;
/** Beyond the load: as long again, and not so short that a pause between two looks fills it. */
const patienceMilliseconds = (rounds: number) => rounds * second + 30 * second;
const mostTimesSlower = 1.2;

/** O10: millions of rows expire while the service issues as many tokens as it can. */
export const drill: Drill = {
  id: 'O10',
  title:
    'as many refreshes as there can be, while 5 million rows are deleted and 3,000 a second expire (a round is a second)',
  rounds: 600,
  quickRounds: null,
  run: (options) => onEachDatabase((database) => runOn(database, options), options.databases),
};

async function runOn(database: DatabaseKind, { rounds, log }: DrillOptions): Promise<DrillResult> {
  const nodes = await openNodes(database, ['limit.client-auth=off'], 1);
  const { databaseUrl: url } = nodes.installation;
  const load = await openLoad(nodes);
  const calmMilliseconds = Math.min(rounds, mostCalmSeconds) * second;
  try {
    const waiting = rounds * waitingPerRound;
    const rows = waiting + rounds * duePerSecond;
    const firstLoad = warmUpMilliseconds + calmMilliseconds + 5 * second;
    const dueAt = Date.now() + Math.round(rows * sowingMilliseconds) + firstLoad;
    await sowExpiring(url, { dueAt, waiting, perSecond: duePerSecond, seconds: rounds });
    if (Date.now() + firstLoad > dueAt) throw new Error('putting rows into the database took too long');
    log(`${database}: ${rows} rows are there`);
    const before = await load.measure(calmMilliseconds);
    await delay(dueAt - Date.now());
    const busy = await load.measure(rounds * second);
    const left = await countDue(url, Date.now());
    const startedAt = Date.now();
    const lastAt = dueAt + rounds * second;
    while ((await countDue(url, lastAt)) > 0 && Date.now() < startedAt + patienceMilliseconds(rounds)) await delay(500);
    const afterwards = await countDue(url, lastAt);
    const goneAfter = Date.now() - startedAt;
    const after = await load.measure(calmMilliseconds);
    const loads = [before, busy, after];
    // A machine is not as quick at one time as at another.
    const ratio = (2 * busy.p99Milliseconds) / (before.p99Milliseconds + after.p99Milliseconds);
    for (const { firstError } of loads) if (firstError !== null) log(`${database}: ${firstError}`);
    return {
      figures: {
        'rows that waited, and that expired meanwhile': `${waiting}, ${rows - waiting}`,
        'tokens a second before, during and after it': shown(loads, ({ perSecond }) => perSecond),
        'refreshes before, during and after it, p50 ms': shown(loads, ({ p50Milliseconds }) => p50Milliseconds),
        'refreshes before, during and after it, p99 ms': shown(loads, ({ p99Milliseconds }) => p99Milliseconds),
        'times slower, p99': ratio.toFixed(2),
        'rows deleted a second of load': Math.round((rows - left) / rounds),
        'rows left at the end of the load': left,
        'seconds until they were gone': afterwards > 0 ? 'never' : Math.round(goneAfter / second),
      },
      holds:
        ratio <= mostTimesSlower && loads.every(({ errors }) => errors === 0) && afterwards === 0 && left < waiting,
    };
  } finally {
    load.stop();
    await nodes.dispose();
  }
}

function shown(loads: readonly Measurement[], figure: (load: Measurement) => number): string {
  return loads.map((load) => figure(load).toFixed(1)).join(', ');
}

/** Chains of refreshes from a process of its own, one request after the other on each connection. */
async function openLoad({ startSessions, account, client, services }: Nodes) {
  const tokens = (await startSessions(connections)).map(({ refresh_token: token }) => token);
  const { authorization = '' } = clientAuthentication(client).headers;
  const generator = startGenerator();
  const name = 'refresh';
  generator.add({
    name,
    kind: 'refresh',
    ports: services.map(({ port }) => port),
    host: account.host,
    path: '/oauth2/token',
    authorization,
    tokens,
    pids: [],
  });
  return {
    measure: (milliseconds: number) => generator.measure({ name, connections, warmUpMilliseconds, milliseconds }),
    stop: () => generator.stop(),
  };
}
