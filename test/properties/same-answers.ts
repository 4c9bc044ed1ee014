/**
 * What makes requests quick changes no answer: each is sent to both paths, and the answers are compared byte for byte.
 */

import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { createServer, listen } from '../../src/server.ts';
import { faultsOf } from './faults.ts';
import type { Operation } from './operations.ts';
import { plansOf, validPlans } from './requests.ts';
import { openStage, takeRequest, withFault } from './run.ts';
import { createAppOn, type PathName } from './two-paths.ts';
import { describeWire, encode, type Wire } from './wire.ts';

export interface Compared {
  readonly requests: number;
  /** Those that reached a handler. */
  readonly passed: number;
  /** Descriptions of requests that were answered in two ways. */
  readonly differences: readonly string[];
}

/** As it was received, without what differs between any two answers. */
interface Answer {
  readonly status: number | undefined;
  readonly headers: readonly string[];
  readonly text: string;
}

const dated = new Set(['date', 'x-request-id']);

interface Served {
  send(wire: Wire): Promise<Answer>;
  close(): Promise<void>;
}

async function serveOn(
  path: PathName,
  services: Parameters<Awaited<ReturnType<typeof createAppOn>>>[0],
): Promise<Served> {
  const createApp = await createAppOn(path);
  const server = createServer(createApp(services));
  await listen(server, { host: '127.0.0.1', port: 0 });
  const { port } = server.address() as AddressInfo;
  // Each on a connection of its own: a refusal may end it.
  const agent = new Agent({ keepAlive: false });
  return {
    send: (wire) => send(agent, port, wire),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

async function send(agent: Agent, port: number, { method, target, headers, body }: Wire): Promise<Answer> {
  const sent = request({
    agent,
    host: '127.0.0.1',
    port,
    method,
    path: target,
    headers: headers.flat(),
    setHost: false,
  });
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  sent.on('error', reject).on('response', (received) => {
    const id = String(received.headers['x-request-id']);
    const pairs = received.rawHeaders.flatMap((name, index, all) => (index % 2 ? [] : [`${name}: ${all[index + 1]}`]));
    const kept = pairs.filter((pair) => !dated.has(pair.split(':', 1)[0]?.toLowerCase() ?? ''));
    buffer(received).then((bytes) => {
      const text = bytes.toString('latin1').replaceAll(id, 'the request');
      resolve({ status: received.statusCode, headers: kept, text });
    }, reject);
  });
  sent.end(body ?? undefined);
  return promise;
}

/** Sends so many requests of each operation that fit its contract, and as many with one thing wrong. */
export async function compareAnswers(operations: readonly Operation[], each: number, seed: number): Promise<Compared> {
  const stage = await openStage('sqlite', seed, operations);
  const served = [await serveOn('general', stage.app.services), await serveOn('quick', stage.app.services)] as const;
  const differences: string[] = [];
  let [requests, passed] = [0, 0];

  async function compare(wire: Wire): Promise<void> {
    const general = await served[0].send(wire);
    const quick = await served[1].send(wire);
    requests += 1;
    if (quick.status === handled) passed += 1;
    try {
      assert.deepEqual(quick, general);
      assert.ok((quick.status ?? 500) < 500, `${quick.status} ${quick.text}`);
    } catch (error) {
      differences.push(`${error instanceof Error ? error.message : error}\n\n${describeWire(wire)}`);
    }
  }

  try {
    for (const operation of operations) {
      for (const plan of fc.sample(validPlans(operation), { numRuns: each, seed })) {
        await compare(encode((await takeRequest(stage.pool, plan)).request));
      }
      const faulty = fc.tuple(plansOf(operation, 'example'), faultsOf(operation));
      for (const [plan, fault] of fc.sample(faulty, { numRuns: each, seed })) {
        const { taken, request: right } = await takeRequest(stage.pool, plan);
        const [, { wire }] = await withFault(stage, plan, right, taken, fault);
        await compare(wire);
      }
    }
  } finally {
    await Promise.all(served.map(({ close }) => close()));
    await stage.dispose();
  }
  return { requests, passed, differences };
}

/** The status with which a handler's part of two-paths.ts answers. */
const handled = 299;
