import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { sendRaw } from '../../support/raw-http.ts';
import { percentile } from '../../support/statistics.ts';
import type { Drill, DrillOptions, DrillResult } from '../drill.ts';
import { type Nodes, openNodes } from '../nodes.ts';
import { forSeconds, refreshWhile, residentMegabytes } from '../refreshing.ts';
import { createTally } from '../tally.ts';

const socketsPerRound = 100;
const sessionCount = 8;
const calmSeconds = 5;
/** Sockets are freed 20 seconds after the server began to wait, 5 later at the most, and 1 for a last word. */
const freedSeconds = 30;
const mostMegabytes = 512;

/** A way to be slow: what is sent at first, and what every second after it. */
interface Slowness {
  readonly first: (host: string) => string;
  readonly drip: string | null;
  readonly reads: boolean;
}

const slow: Readonly<Record<string, Slowness>> = {
  'slow heads': { first: (host) => `GET /oauth2/jwks HTTP/1.1\r\nHost: ${host}\r\nx: `, drip: 'y', reads: true },
  'slow bodies': {
    first: (host) =>
      `POST /oauth2/token HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 900\r\n\r\n`,
    drip: 'y',
    reads: true,
  },
  'slow readers': {
    first: (host) => `GET /docs/redoc.standalone.js HTTP/1.1\r\nHost: ${host}\r\n\r\n`.repeat(16),
    drip: null,
    reads: false,
  },
  'half-open': { first: () => '', drip: null, reads: false },
};

const kinds = Object.keys(slow);

/** O1: sockets that send or read hardly anything. */
export const drill: Drill = {
  id: 'O1',
  title:
    'slow heads, bodies and readers, and half-open connections: sockets are freed, others served (a round: 100 sockets)',
  rounds: 20,
  quickRounds: null,
  run,
};

async function run({ rounds, log }: DrillOptions): Promise<DrillResult> {
  const nodes = await openNodes('sqlite', ['limit.client-auth=off'], 1);
  const sockets: Socket[] = [];
  try {
    const tokens = (await nodes.startSessions(sessionCount)).map(({ refresh_token }) => refresh_token);
    const [calm, busy] = [createTally(), createTally()];
    await refreshWhile(nodes, tokens, forSeconds(calmSeconds), calm);
    sockets.push(...(await openSlow(nodes, rounds * socketsPerRound)));
    const since = performance.now();
    let most = 0;
    let megabytes = 0;
    const freed = new Map<string, number>();
    const watch = setInterval(() => {
      const held = heldOf(nodes, sockets);
      const all = Object.values(held).reduce((sum, count) => sum + count, 0);
      most = Math.max(most, all);
      megabytes = Math.max(megabytes, residentMegabytes(nodes));
      for (const [kind, count] of Object.entries(held)) {
        if (count === 0 && !freed.has(kind)) freed.set(kind, Math.round((performance.now() - since) / 1000));
      }
    }, 250);
    const waits = () => freed.size < kinds.length && performance.now() - since < 2 * freedSeconds * 1000;
    await refreshWhile(nodes, tokens, waits, busy);
    clearInterval(watch);
    const failed = [...busy.statuses].filter(([status]) => status !== '200').length;
    if (failed > 0) log(`answers while the slow clients were there: ${busy.text()}`);
    return {
      figures: {
        'slow sockets opened': sockets.length,
        'most of them held at a time': most,
        ...Object.fromEntries(kinds.map((kind) => [`${kind} freed after, s`, freed.get(kind) ?? 'not freed'])),
        'refreshes before, p99 ms': Math.round(percentile(calm.times, 0.99)),
        'refreshes while they were there, p99 ms': Math.round(percentile(busy.times, 0.99)),
        'refreshes while they were there': busy.text(),
        'most memory, MB': megabytes,
      },
      holds:
        failed === 0 &&
        kinds.every((kind) => (freed.get(kind) ?? Number.POSITIVE_INFINITY) <= freedSeconds) &&
        megabytes < mostMegabytes,
    };
  } finally {
    for (const socket of sockets) socket.destroy();
    await nodes.dispose();
  }
}

async function openSlow({ account, services: [service] }: Nodes, count: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    const kind = slow[kinds[sockets.length % kinds.length] ?? ''];
    if (!kind || !service) throw new Error('no server runs');
    const socket = connect({ host: '127.0.0.1', port: service.port, allowHalfOpen: true });
    sockets.push(socket.on('error', () => {}));
    socket.write(kind.first(account.host));
    if (kind.reads) socket.resume();
    else socket.pause();
    const { drip } = kind;
    if (drip !== null) {
      const dripping = setInterval(() => socket.writable && socket.write(drip), 1000);
      socket.once('close', () => clearInterval(dripping));
    }
    await once(socket, 'connect');
    // No faster than the server accepts them: the accept queue is served in order, and does not count as slow.
    if (sockets.length % 100 === 0) await sendRaw(service.port, ['GET /healthz HTTP/1.1', 'Host: x']);
  }
  return sockets;
}

/** How many sockets of each kind the server has still. They were opened in turn. */
function heldOf(nodes: Nodes, sockets: readonly Socket[]): Record<string, number> {
  const open = openPorts(nodes);
  const held = (kind: number) =>
    sockets.filter(({ localPort = 0 }, index) => index % kinds.length === kind && open.has(localPort)).length;
  return Object.fromEntries(kinds.map((name, kind) => [name, held(kind)]));
}

/** The callers' ports of the connections that the server has not closed. */
function openPorts({ services: [service] }: Nodes): Set<number> {
  const port = (service?.port ?? 0).toString(16).toUpperCase().padStart(4, '0');
  const [established, closedByPeer] = ['01', '08'];
  const ports = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(
      ([, local = '', , state]) => local.endsWith(`:${port}`) && (state === established || state === closedByPeer),
    )
    .map(([, , remote = '']) => Number.parseInt(remote.split(':')[1] ?? '', 16));
  return new Set(ports);
}
