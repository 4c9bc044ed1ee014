/** The composition root of `gatehouse serve`: creates everything once, in order, and closes it in reverse order. */

import packageJson from '../package.json' with { type: 'json' };
import { createLog } from './adapters/log.ts';
import { putPoolBehindEventLoop } from './adapters/thread-pool.ts';
import { createApp } from './app.ts';
import type { Config } from './config.ts';
import { createServices, type ServedServices } from './create-services.ts';
import { prepareDemo } from './demo.ts';
import { startClearing } from './domain/clearing.ts';
import { keepWarm } from './domain/hooks/warm.ts';
import { wakeAfterCommit } from './domain/wake-after-commit.ts';
import { startHousekeeping } from './housekeeping.ts';
import type { Readiness } from './http/health.ts';
import { createMetrics } from './metrics/registry.ts';
import { clearingReport, purgeReport, roundReport } from './metrics/reports.ts';
import { openConfiguredStore, warnOfConnections } from './open-store.ts';
import type { Place } from './processes/count.ts';
import { openLink } from './processes/link.ts';
import { keepServedAddress } from './served-address.ts';
import { createServer, listen } from './server.ts';
import type { Log } from './services.ts';
import { checkFiles, prepareHooks, reportHooks, warnOfSettings } from './start-checks.ts';
import { announceStop, crash, finish, type Running, stopOnSignal } from './stop.ts';
import type { Tracing } from './tracing/tracing.ts';

export interface ServeOptions {
  readonly config: Config;
  /** Create the demo account in an empty database. */
  readonly demo: boolean;
  /** Prints messages for people, not log lines: addresses, and the demo account's secrets. */
  readonly print: (text: string) => void;
  /** Where this process is among those of one supervisor, which gives it connections; null: it listens itself. */
  readonly place?: Place | null;
}

/**
 * Serves until SIGTERM or SIGINT, or until a supervisor says so; then finishes what is running and ends the process.
 * Settles when requests are accepted.
 */
export async function serve({ config, demo, print, place = null }: ServeOptions): Promise<void> {
  const metrics = createMetrics();
  const link = place && openLink(place, metrics);
  const log = createLog({ level: config.logLevel });
  process.on('uncaughtException', (error) => crash(log, error));
  // What holds for all processes is said by one.
  const speaks = place === null || place.number === 1;
  await checkFiles(config, speaks ? log : { ...log, warn: () => {} });
  if (speaks) warnOfSettings(config, log);
  prepareHooks(log);
  // Knex appends the stack to the message of an error.
  const warn = (line: string) => log.warn('database', { reason: line.split('\n', 1)[0] ?? '' });
  const store = await openConfiguredStore(config, { log: warn, remake: demo });
  let services: ServedServices | null = null;
  try {
    await store.migrate();
    if (place?.number === 1) await warnOfConnections(config, place.of, log);
    const tracing = config.traces && (await openTraces(config.traces, log));
    services = await createServices(config, store, log, (open) => reportHooks(open(), log), {
      meters: metrics,
      tracing,
      sharedBy: place?.of ?? 1,
    });
    await keepServedAddress(store, config);
    const introduction = demo ? await prepareDemo(services, config) : '';
    const readiness: Readiness = { draining: false };
    const { metricsToken, trustProxy, startPage } = config;
    const clearing = startClearing(services, { report: clearingReport(metrics) });
    const waking = { ...services, store: wakeAfterCommit(services.store, { ...services, clearing }) };
    const app = createApp(waking, {
      readiness,
      metrics: link ? { ...metrics, text: link.page } : metrics,
      ...(link && { processes: link.processes }),
      tracing,
      metricsToken,
      trustProxy,
      startPage,
      isServing: true,
    });
    const server = createServer(app);
    await putPoolBehindEventLoop();
    if (!link) await listen(server, config);
    const housekeeping = startHousekeeping(services, {
      report: purgeReport(metrics),
      roundReport: roundReport(metrics),
    });
    const warming = keepWarm(services);
    services.packageBuilds.start();
    services.limitRounds?.start();
    const running: Running = { ...services, readiness, server, housekeeping, clearing, warming, tracing };
    if (link) {
      link.serve({
        server,
        leave: () => announceStop(running),
        finish: (hurry) => finish(running, hurry),
        crash: (error) => crash(log, error),
      });
    } else {
      stopOnSignal(running, config.drainSeconds);
      log.info('listening', { host: config.host, port: config.port, version: packageJson.version });
    }
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
