/** How a process of the service stops: in order, after finishing what is running. */

import type { Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Clearing } from './domain/clearing.ts';
import { stackOf } from './domain/describe.ts';
import { endLogStreams } from './domain/hooks/log-streams.ts';
import type { PackageQueue } from './domain/hooks/package-queue.ts';
import type { HookRunner } from './domain/hooks/runner.ts';
import { shadowsSettled } from './domain/hooks/shadow.ts';
import type { Warming } from './domain/hooks/warm.ts';
import type { LimitRounds } from './domain/limit-portions/rounds.ts';
import { drain, leave } from './drain.ts';
import type { Housekeeping } from './housekeeping.ts';
import type { Readiness } from './http/health.ts';
import type { Log } from './services.ts';
import type { Store } from './store/store.ts';
import type { Tracing } from './tracing/tracing.ts';

const drainMilliseconds = 10_000;

/** What is closed, in reverse order of its opening. */
export interface Running {
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
}

/**
 * SIGTERM: reports not ready at once, so that load balancers notice and clients can send what they were about to.
 * SIGINT, from a person who waits, stops without that, also as the second signal. A second signal of the same kind ends
 * the process at once.
 */
export function stopOnSignal(running: Running, drainSeconds: number): void {
  const { log, readiness } = running;
  const hurry = new AbortController();
  // There is no load balancer in front, so there is nothing to wait for.
  if (drainSeconds === 0) hurry.abort();

  async function stopInOrder(signal: NodeJS.Signals): Promise<void> {
    announceStop(running);
    log.info('stopping', { signal });
    await delay(drainSeconds * 1000, null, { signal: hurry.signal }).catch(() => {});
    await finish(running, hurry.signal);
    log.info('stopped');
    process.exit(0);
  }

  const stop = (signal: NodeJS.Signals) => {
    if (signal === 'SIGINT') hurry.abort();
    if (!readiness.draining) stopInOrder(signal).catch((error) => crash(log, error));
  };
  process.once('SIGTERM', stop).once('SIGINT', stop);
}

/** The process goes on to serve: balancers see that it will not for long, and each answer ends its connection. */
export function announceStop({ readiness, server, hooks }: Pick<Running, 'readiness' | 'server' | 'hooks'>): void {
  readiness.draining = true;
  // They would not end by themselves; their clients come again, elsewhere.
  endLogStreams(hooks);
  leave(server);
}

/** Serves nothing new, finishes what is running, and closes everything. */
export async function finish(running: Running, hurry: AbortSignal): Promise<void> {
  const { log, server, housekeeping, clearing, warming, packageBuilds, limitRounds, hooks, store, tracing } = running;
  endLogStreams(hooks);
  if (!(await drain(server, drainMilliseconds, hurry))) log.warn('requests cut off');
  await packageBuilds.stop();
  await housekeeping.stop();
  await limitRounds?.stop();
  await clearing.stop();
  await shadowsSettled(hooks);
  await hooks.close();
  await warming.stop();
  await store.close();
  await tracing?.close();
}

export function crash(log: Log, error: unknown): void {
  log.error('crashed', { stack: stackOf(error) });
  process.exit(1);
}
