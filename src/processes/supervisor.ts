/**
 * `gatehouse serve --processes`: listens, starts the processes that serve, and gives them the connections. It opens no
 * database and reads nothing of what clients send.
 */

import { createServer, type Server } from 'node:net';
import { constants } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import packageJson from '../../package.json' with { type: 'json' };
import { createLineWriter } from '../adapters/line-writer.ts';
import { createLog, mostWaitingCharacters, standardOutput } from '../adapters/log.ts';
import type { Config } from '../config.ts';
import { acceptWaiting } from '../drain.ts';
import { listen, mostConnections } from '../server.ts';
import type { Log } from '../services.ts';
import { crash } from '../stop.ts';
import { writePlace } from './count.ts';
import { createFleet, type Fleet } from './fleet.ts';
import { createHandout, type Handout } from './handout.ts';

/** For connections that were accepted and not taken yet. */
const settleMilliseconds = 5_000;

export interface SuperviseOptions {
  readonly config: Config;
  readonly count: number;
}

/** Serves until SIGTERM or SIGINT. Settles when connections are accepted. */
export async function supervise({ config, count }: SuperviseOptions): Promise<void> {
  const output = createLineWriter(standardOutput, mostWaitingCharacters);
  const log = createLog({ level: config.logLevel, destination: output });
  process.on('uncaughtException', (error) => crash(log, error));
  const onHangUp = obeyHangUp();
  const [script = '', ...args] = process.argv.slice(1);
  const handout = createHandout();
  const fleet = createFleet({
    count,
    handout,
    log,
    write: (lines) => output.write(lines),
    commandOf: (place, isFirst) => {
      // The account of the demonstration is made once.
      const own = isFirst ? args : args.filter((arg) => arg !== '--demo');
      return [script, ...own, ...writePlace(place)];
    },
  });
  // Whatever happens here, no process is left behind that nobody asks anything.
  process.once('exit', fleet.kill);
  const failed = await fleet.startFirst();
  if (failed !== null) process.exit(failed.code || 1);
  const server = createServer({ pauseOnConnect: true, noDelay: true }, handout.add);
  const most = mostConnections();
  if (most !== null) server.maxConnections = most;
  try {
    await listen(server, config);
  } catch (error) {
    await fleet.end(() => true);
    throw error;
  }
  const { isStopping } = stopOnSignal({ server, handout, fleet, log, drainSeconds: config.drainSeconds });
  log.info('listening', { host: config.host, port: config.port, version: packageJson.version, count });
  fleet.fill();
  onHangUp(() => {
    if (isStopping()) return;
    log.info('replacing processes', { signal: 'SIGHUP' });
    void fleet.replace();
  });
}

/**
 * SIGHUP replaces the processes, after the start if it comes earlier; where somebody has started the service in a
 * terminal it is the end of that, and of the service. Answers what takes what it does.
 */
function obeyHangUp(): (replace: () => void) => void {
  let replace: (() => void) | null = null;
  let wasEarly = false;
  process.on('SIGHUP', () => {
    if (process.stdin.isTTY) process.kill(process.pid, 'SIGTERM');
    else if (replace) replace();
    else wasEarly = true;
  });
  return (given) => {
    replace = given;
    if (wasEarly) replace();
  };
}

interface Running {
  readonly server: Server;
  readonly handout: Handout;
  readonly fleet: Fleet;
  readonly log: Log;
  readonly drainSeconds: number;
}

/** SIGTERM and SIGINT as for a single process (src/stop.ts). */
function stopOnSignal(running: Running): { readonly isStopping: () => boolean } {
  const { fleet, log, drainSeconds } = running;
  const hurry = new AbortController();
  if (drainSeconds === 0) hurry.abort();
  let isStopping = false;
  const stop = (signal: NodeJS.Signals) => {
    if (signal === 'SIGINT') {
      hurry.abort();
      // Also to one that is ending because it was replaced.
      fleet.tell({ order: 'hurry' });
    }
    if (!isStopping) stopInOrder(running, signal, hurry.signal).catch((error) => crash(log, error));
    isStopping = true;
    // The second of its kind.
    process.once(signal, () => process.exit(128 + constants.signals[signal]));
  };
  process.once('SIGTERM', stop).once('SIGINT', stop);
  return { isStopping: () => isStopping };
}

async function stopInOrder(running: Running, signal: string, hurry: AbortSignal): Promise<void> {
  const { server, handout, fleet, log, drainSeconds } = running;
  log.info('stopping', { signal });
  fleet.leave();
  await delay(drainSeconds * 1000, null, { signal: hurry }).catch(() => {});
  await acceptWaiting(server);
  server.close();
  // Where no process is left to take one, nobody waits for it.
  await Promise.race([handout.settled(), delay(settleMilliseconds)]);
  await fleet.end(() => hurry.aborted);
  log.info('stopped');
  process.exit(0);
}
