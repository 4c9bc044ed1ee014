/** What open streams of log lines cost a server: memory, and processor time while nothing happens. */

import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { mostStreams } from '../../src/domain/hooks/log-streams.ts';
import { install } from '../support/process.ts';
import { runSeeding, startProcess } from './gatehouse.ts';
import { residentMemory, threadTimes } from './processor-time.ts';
import type { SeededStreams } from './seed-streams.ts';
import { endChild } from './servers.ts';

/** Megabytes (10^6 bytes) that all streams of a process may cost. */
const promisedMegabytes = 64;
/** Streams that are opened and closed before: what is loaded and compiled once is no cost of a stream. */
const warmingStreams = 200;
const idleMilliseconds = 10_000;

interface Streamed {
  readonly text: string;
  readonly isKept: boolean;
}

export async function measureStreams(log: (line: string) => void): Promise<Streamed> {
  const installation = await install('sqlite');
  try {
    const accounts = mostStreams.ofProcess / mostStreams.ofAccount;
    const seeded = await runSeeding<SeededStreams>(installation, 'seed-streams.ts', [String(accounts)]);
    const { child, port } = await startProcess(installation);
    try {
      return await measure(seeded, port, child.pid ?? 0, log);
    } finally {
      await endChild(child, 'SIGTERM');
    }
  } finally {
    await installation.dispose();
  }
}

async function measure(
  seeded: SeededStreams,
  port: number,
  pid: number,
  log: (line: string) => void,
): Promise<Streamed> {
  for (const stream of await openAll(seeded, port, warmingStreams)) stream.destroy();
  await delay(idleMilliseconds);
  const before = residentMemory(pid) ?? Number.NaN;
  log(`${Math.round(before)} MB without a stream; opening ${mostStreams.ofProcess}`);
  const streams = await openAll(seeded, port, mostStreams.ofProcess);
  const startedAt = ownTime(pid);
  await delay(idleMilliseconds);
  const milliseconds = (ownTime(pid) - startedAt) / 1000;
  const cost = (residentMemory(pid) ?? Number.NaN) - before;
  for (const stream of streams) stream.destroy();
  const share = ((milliseconds / idleMilliseconds) * 100).toFixed(1);
  const text =
    `${streams.length} open streams of ${seeded.length} accounts cost ${cost.toFixed(1)} MB (promised: ` +
    `${promisedMegabytes}), and ${share} % of a core while nothing runs`;
  return { text, isKept: cost <= promisedMegabytes };
}

/** Processor time of the server itself, in µs: a process for hooks that ends meanwhile would take its own with it. */
function ownTime(pid: number): number {
  return [...threadTimes(pid).values()].reduce((sum, microseconds) => sum + microseconds, 0);
}

/** Opens them in turn of the accounts; settles when each has begun. */
async function openAll(seeded: SeededStreams, port: number, count: number): Promise<ClientRequest[]> {
  const streams: ClientRequest[] = [];
  for (let number = 0; number < count; number += 1) {
    const { host, token } = seeded[number % seeded.length] as SeededStreams[number];
    const headers = { host, authorization: `Bearer ${token}` };
    const sent = request({ host: '127.0.0.1', port, path: '/api/2/hooks/logs/stream', headers, agent: false });
    sent.end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    if (answer.statusCode !== 200) throw new Error(`a stream was answered with ${answer.statusCode}`);
    answer.resume();
    answer.on('error', () => {});
    sent.on('error', () => {});
    streams.push(sent);
  }
  return streams;
}
