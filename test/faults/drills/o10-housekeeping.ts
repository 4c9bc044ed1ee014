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
/** More than putting a row into the database takes. */
const sowingMilliseconds = 0.06;
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
  const load = await openLoad(nodes, rounds * second);
  try {
    const waiting = rounds * waitingPerRound;
    const rows = waiting + rounds * duePerSecond;
    // Both loads run on the same rows: none is due in the first.
    const calmMilliseconds = warmUpMilliseconds + (rounds + 5) * second;
    const dueAt = Date.now() + Math.round(rows * sowingMilliseconds) + calmMilliseconds;
    await sowExpiring(url, { dueAt, waiting, perSecond: duePerSecond, seconds: rounds });
    if (Date.now() + calmMilliseconds > dueAt) throw new Error('putting rows into the database took too long');
    log(`${database}: ${rows} rows are there`);
    const calm = await load.measure();
    await delay(dueAt - Date.now());
    const busy = await load.measure();
    const left = await countDue(url, Date.now());
    const startedAt = Date.now();
    const lastAt = dueAt + rounds * second;
    while ((await countDue(url, lastAt)) > 0 && Date.now() < startedAt + patienceMilliseconds(rounds)) await delay(500);
    const afterwards = await countDue(url, lastAt);
    const ratio = busy.p99Milliseconds / calm.p99Milliseconds;
    for (const { firstError } of [calm, busy]) if (firstError !== null) log(`${database}: ${firstError}`);
    return {
      figures: {
        'rows that waited, and that expired meanwhile': `${waiting}, ${rows - waiting}`,
        'tokens a second without housekeeping, and with it': shown(calm, busy, 'perSecond'),
        'refreshes without it, and with it, p50 ms': shown(calm, busy, 'p50Milliseconds'),
        'refreshes without it, and with it, p99 ms': shown(calm, busy, 'p99Milliseconds'),
        'times slower, p99': ratio.toFixed(2),
        'rows deleted a second of load': Math.round((rows - left) / rounds),
        'rows left at the end of the load': left,
        'seconds until they were gone': afterwards > 0 ? 'never' : Math.round((Date.now() - startedAt) / second),
      },
      holds: ratio <= mostTimesSlower && calm.errors + busy.errors === 0 && afterwards === 0 && left < waiting,
    };
  } finally {
    load.stop();
    await nodes.dispose();
  }
}

function shown(calm: Measurement, busy: Measurement, figure: 'perSecond' | 'p50Milliseconds' | 'p99Milliseconds') {
  const digits = figure === 'perSecond' ? 0 : 1;
  return `${calm[figure].toFixed(digits)}, ${busy[figure].toFixed(digits)}`;
}

/** Chains of refreshes from a process of its own, one request after the other on each connection. */
async function openLoad({ startSessions, account, client, services }: Nodes, milliseconds: number) {
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
  const load = { name, connections, warmUpMilliseconds, milliseconds };
  return { measure: () => generator.measure(load), stop: () => generator.stop() };
}
