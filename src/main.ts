/** The composition root of `gatehouse serve`: creates everything once, in order, and closes it in reverse order. */

import type { Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import packageJson from '../package.json' with { type: 'json' };
import { createLog } from './adapters/log.ts';
import { putPoolBehindEventLoop } from './adapters/thread-pool.ts';
import { createApp } from './app.ts';
import type { Config } from './config.ts';
import { createServices, type ServedServices } from './create-services.ts';
import { prepareDemo } from './demo.ts';
import { type Clearing, startClearing } from './domain/clearing.ts';
import type { PackageQueue } from './domain/hooks/package-queue.ts';
import type { HookRunner } from './domain/hooks/runner.ts';
import { shadowsSettled } from './domain/hooks/shadow.ts';
import { keepWarm, type Warming } from './domain/hooks/warm.ts';
import type { LimitRounds } from './domain/limit-portions/rounds.ts';
import { wakeAfterCommit } from './domain/wake-after-commit.ts';
import { drain, leave } from './drain.ts';
import { type Housekeeping, startHousekeeping } from './housekeeping.ts';
import type { Readiness } from './http/health.ts';
import { createMetrics } from './metrics/registry.ts';
import { clearingReport, purgeReport, roundReport } from './metrics/reports.ts';
import { openConfiguredStore } from './open-store.ts';
import { keepServedAddress } from './served-address.ts';
import { createServer, listen } from './server.ts';
import type { Log } from './services.ts';
import { checkFiles, prepareHooks, reportHooks, warnOfSettings } from './start-checks.ts';
import type { Store } from './store/store.ts';
import type { Tracing } from './tracing/tracing.ts';

const drainMilliseconds = 10_000;

export interface ServeOptions {
  readonly config: Config;
  /** Create the demo account in an empty database. */
  readonly demo: boolean;
  /** Prints messages for people, not log lines: addresses, and the demo account's secrets. */
  readonly print: (text: string) => void;
}

/**
 * Serves until SIGTERM or SIGINT; then finishes what is running and ends the process. Settles when requests are
 * accepted.
 */
export async function serve({ config, demo, print }: ServeOptions): Promise<void> {
  const log = createLog({ level: config.logLevel });
  process.on('uncaughtException', (error) => crash(log, error));
  await checkFiles(config, log);
  warnOfSettings(config, log);
  prepareHooks(log);
  // Knex appends the stack to the message of an error.
  const warn = (line: string) => log.warn('database', { reason: line.split('\n', 1)[0] ?? '' });
  const store = await openConfiguredStore(config, { log: warn, remake: demo });
  let services: ServedServices | null = null;
  try {
    await store.migrate();
    const metrics = createMetrics();
    const tracing = config.traces && (await openTraces(config.traces, log));
    services = await createServices(config, store, log, (open) => reportHooks(open(), log), {
      meters: metrics,
      tracing,
    });
    await keepServedAddress(store, config);
    const introduction = demo ? await prepareDemo(services, config) : '';
    const readiness: Readiness = { draining: false };
    const { metricsToken, trustProxy, startPage } = config;
    const clearing = startClearing(services, { report: clearingReport(metrics) });
    const waking = { ...services, store: wakeAfterCommit(services.store, { ...services, clearing }) };
    const app = createApp(waking, {
      readiness,
      metrics,
      tracing,
      metricsToken,
      trustProxy,
      startPage,
      isServing: true,
    });
    const server = createServer(app);
    await putPoolBehindEventLoop();
    await listen(server, config);
    const housekeeping = startHousekeeping(services, {
      report: purgeReport(metrics),
      roundReport: roundReport(metrics),
    });
    const warming = keepWarm(services);
    services.packageBuilds.start();
    services.limitRounds?.start();
    stopOnSignal({
      ...services,
      readiness,
      server,
      housekeeping,
      clearing,
      warming,
      tracing,
      drainSeconds: config.drainSeconds,
    });
    log.info('listening', { host: config.host, port: config.port, version: packageJson.version });
    print(introduction);
  } catch (error) {
    await services?.hooks.close();
    await store.close();
    throw error;
  }
}

/** Loaded where it is asked for: most installations have no collector. */
async function openTraces(traces: NonNullable<Config['traces']>, log: Log): Promise<Tracing | null> {
  return (await import('./tracing/opentelemetry.ts')).openTracing(traces, log);
}

interface Running {
  readonly log: Log;
  readonly readiness: Readiness;
  readonly server: Server;
  readonly housekeeping: Housekeeping;
  readonly clearing: Clearing;
  readonly warming: Warming;
  readonly tracing: Tracing | null;
  readonly hooks: HookRunner;
  readonly limitRounds: LimitRounds | null;
  readonly packageBuilds: Pick<PackageQueue, 'stop'>;
  readonly store: Store;
  readonly drainSeconds: number;
}

/**
 * SIGTERM: reports not ready at once, so that load balancers notice and clients can send what they were about to.
 * SIGINT, from a person who waits, stops without that, also as the second signal. A second signal of the same kind ends
 * the process at once.
 */
function stopOnSignal(running: Running): void {
  const hurry = new AbortController();
  // There is no load balancer in front, so there is nothing to wait for.
  if (running.drainSeconds === 0) hurry.abort();
  const stop = (signal: NodeJS.Signals) => {
    if (signal === 'SIGINT') hurry.abort();
    if (running.readiness.draining) return;
    void stopInOrder(running, signal, hurry.signal).catch((error) => crash(running.log, error));
  };
  process.once('SIGTERM', stop).once('SIGINT', stop);
}

async function stopInOrder(running: Running, signal: string, hurry: AbortSignal): Promise<void> {
  const { log, readiness, server, housekeeping, clearing, warming, packageBuilds, hooks, store, drainSeconds } =
    running;
  readiness.draining = true;
  leave(server);
  log.info('stopping', { signal });
  await delay(drainSeconds * 1000, null, { signal: hurry }).catch(() => {});
  if (!(await drain(server, drainMilliseconds, hurry))) log.warn('requests cut off');
  await packageBuilds.stop();
  await housekeeping.stop();
  await running.limitRounds?.stop();
  await clearing.stop();
  await shadowsSettled(hooks);
  await hooks.close();
  await warming.stop();
  await store.close();
  await running.tracing?.close();
  log.info('stopped');
  process.exit(0);
}

function crash(log: Log, error: unknown): void {
  log.error('crashed', { stack: error instanceof Error ? (error.stack ?? error.message) : 'not an error' });
  process.exit(1);
}
