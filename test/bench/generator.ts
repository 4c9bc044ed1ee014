/**
 * The generator of load, a process of its own: told of targets and loads by its parent, it answers each load with a
 * measurement. It ends with its parent.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { percentile } from '../support/statistics.ts';
import { openHttpClient } from './http-client.ts';
import { hasThread, processorTime } from './processor-time.ts';
import { type Requests, requestsTo } from './requests.ts';
import type { FromGenerator, Load, Measurement, Target, ToGenerator } from './target.ts';

/** How long answers may take that are under way at the end. */
const patienceMilliseconds = 60_000;
/** A virtual client stops after this many errors. */
const mostErrors = 3;

interface Known {
  readonly target: Target;
  readonly requests: Requests;
  /** Where each virtual client continues at the next load. */
  readonly cursors: number[];
}

/** What is counted while `measuring`, and errors at any time. */
interface Record {
  readonly latencies: number[];
  measuring: boolean;
  stopping: boolean;
  errors: number;
  firstError: string | null;
}

const known = new Map<string, Known>();

/** One virtual client: request after request over one connection. Settles when it has its last answer. */
function run({ target, requests, cursors }: Known, { connections }: Load, index: number, record: Record): Client {
  const client = openHttpClient(target.ports[index % target.ports.length] ?? 0);
  // Tokens are dealt out in turn, so that every chain belongs to one virtual client.
  const turns = Math.max(1, Math.ceil((requests.size - index) / connections));
  let errors = 0;
  const note = (turn: number, milliseconds: number, mistake: string | null) => {
    if (mistake === null) {
      cursors[index] = (turn + 1) % turns;
      if (record.measuring) record.latencies.push(milliseconds);
    } else {
      errors += 1;
      record.errors += 1;
      record.firstError ??= mistake;
    }
  };
  const ended = new Promise<void>((resolve) => {
    const next = () => {
      if (record.stopping || errors >= mostErrors) {
        resolve();
        return;
      }
      const turn = cursors[index] ?? 0;
      const position = (index + turn * connections) % requests.size;
      const sentAt = performance.now();
      const ask = () =>
        client.send(requests.write(position), (answer) => {
          const milliseconds = performance.now() - sentAt;
          const mistake = answer instanceof Error ? answer.message : requests.check(position, answer);
          if (mistake === null && requests.goesOn?.(position)) {
            ask();
            return;
          }
          note(turn, milliseconds, mistake);
          next();
        });
      ask();
    };
    next();
  });
  return { ended, close: client.close };
}

interface Client {
  readonly ended: Promise<void>;
  close(): void;
}

function monotonicMicroseconds(): number {
  return Number(process.hrtime.bigint() / 1000n);
}

async function measure(load: Load): Promise<Measurement> {
  const target = known.get(load.name);
  if (!target) throw new Error(`no target is called ${load.name}`);
  const record: Record = { latencies: [], measuring: false, stopping: false, errors: 0, firstError: null };
  const clients = Array.from({ length: load.connections }, (_, index) => run(target, load, index, record));
  await delay(load.warmUpMilliseconds);
  const { pids, uncounted } = target.target;
  const serverBefore = processorTime(pids, uncounted);
  const ownBefore = process.cpuUsage();
  const from = monotonicMicroseconds();
  record.measuring = true;
  await delay(load.milliseconds);
  record.measuring = false;
  const to = monotonicMicroseconds();
  const own = process.cpuUsage(ownBefore);
  const serverAfter = processorTime(pids, uncounted);
  if (uncounted !== undefined && serverAfter !== null && !hasThread(pids, uncounted)) {
    throw new Error(`no thread is called ${uncounted}: everything was counted`);
  }
  record.stopping = true;
  const finished = Promise.all(clients.map(({ ended }) => ended)).then(() => true);
  if (!(await Promise.race([finished, delay(patienceMilliseconds, false)]))) {
    record.errors += 1;
    record.firstError ??= 'an answer did not come';
  }
  for (const client of clients) client.close();
  const requests = record.latencies.length;
  return {
    name: load.name,
    requests,
    perSecond: requests / ((to - from) / 1e6),
    p50Milliseconds: percentile(record.latencies, 0.5),
    p99Milliseconds: percentile(record.latencies, 0.99),
    errors: record.errors,
    firstError: record.firstError,
    serverMicroseconds: serverBefore === null || serverAfter === null ? null : (serverAfter - serverBefore) / requests,
    generatorMicroseconds: (own.user + own.system) / requests,
    from,
    to,
  };
}

function answer(message: FromGenerator): void {
  process.send?.(message);
}

process.on('message', (message: ToGenerator) => {
  if ('target' in message) {
    const { target } = message;
    known.set(target.name, { target, requests: requestsTo(target), cursors: [] });
    return;
  }
  measure(message.load).then(
    (measurement) => answer({ measurement }),
    (error: unknown) => answer({ failure: String(error) }),
  );
});
process.once('disconnect', () => process.exit());
