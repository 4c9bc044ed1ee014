import { setTimeout as delay } from 'node:timers/promises';
import { startBalancer } from '../../support/balancer.ts';
import type { Service } from '../../support/process.ts';
import { percentile } from '../../support/statistics.ts';
import type { DatabaseKind } from '../../support/stores.ts';
import { openWire } from '../../support/wire.ts';
import { type Drill, type DrillOptions, type DrillResult, onEachDatabase } from '../drill.ts';
import { openNodes } from '../nodes.ts';
import { refreshWhile } from '../refreshing.ts';
import { createTally } from '../tally.ts';

const sessionCount = 12;
const drainSeconds = 1;

/** O4: processes are replaced under load, behind a balancer that looks at `/readyz` ten times a second. */
export const drill: Drill = {
  id: 'O4',
  title: 'SIGTERM to one process after the other under load behind a balancer: no request fails (a round: each once)',
  rounds: 10,
  quickRounds: null,
  run: (options) => onEachDatabase((database) => runOn(database, options)),
};

/** On PostgreSQL three processes, so that two serve; on SQLite the one, for which requests wait. */
async function runOn(database: DatabaseKind, { rounds, log }: DrillOptions): Promise<DrillResult> {
  const env = { DRAIN_SECONDS: String(drainSeconds) };
  const nodes = await openNodes(database, ['limit.client-auth=off'], database === 'postgres' ? 3 : 1, env);
  const services: Service[] = [...nodes.services];
  const balancer = await startBalancer(services.map(({ port }) => port));
  const wire = openWire({ port: balancer.port, host: nodes.account.host });
  try {
    const tokens = (await nodes.startSessions(sessionCount)).map(({ refresh_token }) => refresh_token);
    const tally = createTally();
    let rolling = true;
    const exits = new Set<number | null>();
    const load = refreshWhile({ wires: [wire], client: nodes.client }, tokens, () => rolling, tally);
    const stops: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      for (const [index, service] of services.entries()) {
        const asked = tally.times.length;
        while (tally.times.length < asked + sessionCount) await delay(10);
        const began = performance.now();
        exits.add(await service.stop());
        stops.push((performance.now() - began) / 1000);
        services[index] = await nodes.installation.serve({ port: service.port });
        while (balancer.changes.up < balancer.changes.down + services.length) await delay(10);
      }
    }
    rolling = false;
    await load;
    const failed = [...tally.statuses].filter(([status]) => status !== '200');
    for (const line of new Set(balancer.broken)) log(`${database}: ${line}`);
    const restarts = rounds * services.length;
    return {
      figures: {
        restarts,
        requests: tally.text(),
        'requests that failed': failed.reduce((sum, [, count]) => sum + count, 0),
        'stops that the balancer was told of': balancer.changes.down,
        'from SIGTERM to the end, most s': Math.max(...stops).toFixed(1),
        'answers, p99 ms': Math.round(percentile(tally.times, 0.99)),
      },
      holds: failed.length === 0 && balancer.changes.down === restarts && [...exits].every((code) => code === 0),
    };
  } finally {
    wire.close();
    await balancer.close();
    await nodes.dispose();
  }
}
