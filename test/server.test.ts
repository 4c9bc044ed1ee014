import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, get, type RequestListener, type Server } from 'node:http';
import {
  type AddressInfo,
  connect,
  createServer as createNetServer,
  type Server as NetServer,
  type Socket,
} from 'node:net';
import { pipeline } from 'node:stream/promises';
import { afterEach, describe, test } from 'node:test';
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import { drain, leave, takeGiven } from '../src/drain.ts';
import { createServer, listen, type Patience } from '../src/server.ts';
import { until } from './support/until.ts';

describe('the server', () => {
  const servers: Server[] = [];
  const fronts: NetServer[] = [];

  afterEach(() => {
    for (const server of servers.splice(0)) server.close().closeAllConnections();
    for (const front of fronts.splice(0)) front.close();
  });

  async function start(app: RequestListener = (_req, res) => res.end('answered'), patience?: Patience) {
    const server = createServer(app, patience);
    servers.push(server);
    await listen(server, { host: '127.0.0.1', port: 0 });
    const address = server.address();
    assert.ok(address && typeof address === 'object');
    return { server, port: address.port };
  }

  async function open(port: number, text: string): Promise<Socket> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(text);
    return socket;
  }

  async function readToEnd(socket: Socket): Promise<string> {
    let text = '';
    for await (const chunk of socket.setEncoding('latin1')) text += chunk;
    return text;
  }

  async function sendText(port: number, text: string): Promise<string> {
    return readToEnd(await open(port, text));
  }

  const head = (count: number, end = 'Connection: close\r\n\r\n') =>
    `GET / HTTP/1.1\r\nHost: x\r\n${Array.from({ length: count }, (_, index) => `x-${index}: y\r\n`).join('')}${end}`;

  test('accepts at most 60 headers', async () => {
    const { port } = await start();
    assert.match(await sendText(port, head(58)), /^HTTP\/1\.1 200 /);
    const refused = await sendText(port, head(59));
    assert.match(refused, /^HTTP\/1\.1 431 [\s\S]*x-request-id: [0-9a-f-]{36}/);
  });

  test('answers unreadable requests with 400, and heads above 16 KB with 431', async () => {
    const { port } = await start();
    assert.match(await sendText(port, 'nonsense\r\n\r\n'), /^HTTP\/1\.1 400 [\s\S]*x-request-id: [0-9a-f-]{36}/);
    const long = `GET / HTTP/1.1\r\nHost: x\r\nx: ${'y'.repeat(17_000)}\r\n\r\n`;
    assert.match(await sendText(port, long), /^HTTP\/1\.1 431 /);
    const both = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n';
    assert.match(await sendText(port, both), /^HTTP\/1\.1 400 /);
  });

  test('passes a missing or repeated Host to the application', async () => {
    const { port } = await start((req, res) =>
      res.end(String(req.rawHeaders.filter((text) => text === 'Host').length)),
    );
    assert.match(await sendText(port, 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n'), /200[\s\S]*0$/);
    assert.match(
      await sendText(port, 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n'),
      /200[\s\S]*2$/,
    );
  });

  test('has the documented limits', async () => {
    const { server } = await start();
    assert.deepEqual(
      [server.headersTimeout, server.requestTimeout, server.keepAliveTimeout, server.maxRequestsPerSocket],
      [10_000, 15_000, 5_000, 1_000],
    );
    assert.ok(server.maxConnections >= 64);
  });

  test('sockets of slow and silent clients are freed, and others are served (O1)', async () => {
    const body = Buffer.alloc(2 ** 20);
    // Long enough for who is not slow on a busy machine.
    const patience = { headers: 1500, request: 2000, idle: 1500, answer: 1500, check: 50 };
    const { server, port } = await start((req, res) => {
      req.resume().once('end', () => res.end(body));
    }, patience);
    const greedy = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(16);
    const texts = ['', 'GET / HTTP/1.1\r\nHo', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nx', greedy];
    const slow: Socket[] = [];
    for (const text of texts) for (let count = 0; count < 5; count += 1) slow.push((await open(port, text)).pause());
    const dripping = setInterval(() => {
      for (const socket of slow.slice(5, 10)) if (socket.writable) socket.write('s');
    }, 50);
    for (const socket of slow) socket.on('error', () => {});
    assert.match(await sendText(port, 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'), /^HTTP\/1\.1 200 /);
    const left = () => new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)));
    // Ends only when every one of them is gone.
    while ((await left()) > 0) await new Promise((resolve) => setTimeout(resolve, 20));
    clearInterval(dripping);
    for (const socket of slow) socket.destroy();
  });

  test('a client that does not read a streamed answer is disconnected, a slow reader is not (O1)', async () => {
    const patience = { headers: 1500, request: 2000, idle: 1500, answer: 6000, check: 50 };
    const part = Buffer.alloc(2 ** 18);
    let ended = 0;
    async function* parts() {
      try {
        for (let number = 0; number < 64; number += 1) yield part;
      } finally {
        ended += 1;
      }
    }
    const { port } = await start((_req, res) => void pipeline(parts, res).catch(() => {}), patience);
    const text = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const silent = (await open(port, text)).pause().on('error', () => {});
    while (ended === 0) await delay(20);
    silent.destroy();
    const slow = await open(port, text);
    let read = 0;
    for await (const chunk of slow) {
      if (read >> 22 !== (read + chunk.length) >> 22) await delay(600);
      read += chunk.length;
    }
    assert.ok(read > 64 * part.length, String(read));
  });

  test('a client that pipelines without reading is disconnected before many answers are made (O1)', async () => {
    let made = 0;
    const { server, port } = await start((_req, res) => {
      made += 1;
      res.end(Buffer.alloc(2 ** 20));
    });
    const socket = await open(port, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(500));
    await readToEnd(socket).catch(() => '');
    assert.equal(made, 16);
    const request = 'GET / HTTP/1.1\r\nHost: x\r\n';
    const answers = await sendText(port, `${`${request}\r\n`.repeat(15)}${request}Connection: close\r\n\r\n`);
    assert.equal(answers.split('HTTP/1.1 200 ').length - 1, 16);
    assert.equal(await drain(server, 10_000), true);
  });

  test('before a stop every answer closes its connection, and new connections are served', async () => {
    const { server, port } = await start();
    const kept = await open(port, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(kept, 'data');
    leave(server);
    kept.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    assert.match(await readToEnd(kept), /^HTTP\/1\.1 200 [\s\S]*connection: close/i);
    assert.match(
      await sendText(port, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'),
      /^HTTP\/1\.1 200 [\s\S]*connection: close/i,
    );
  });

  test('at a stop it accepts nothing more, finishes running requests and closes each connection after its answer', async () => {
    let finish = () => {};
    const { server, port } = await start((_req, res) => {
      finish = () => res.end('late');
    });
    const idle = await open(port, '');
    const running = await open(port, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(server, 'request');
    const drained = drain(server, 10_000);
    while (server.listening) await turn();
    await assert.rejects(open(port, ''), { code: 'ECONNREFUSED' });
    assert.equal(await readToEnd(idle), '');
    finish();
    assert.match(await readToEnd(running), /^HTTP\/1\.1 200 [\s\S]*connection: close[\s\S]*late$/i);
    assert.equal(await drained, true);
  });

  test('at a stop a client that keeps sending on open connections loses no request', async () => {
    const { server, port } = await start();
    const failures: string[] = [];
    let stopped = false;
    let connected = 0;
    const ask = (agent: Agent) =>
      new Promise<void>((resolve) => {
        const request = get({ agent, host: '127.0.0.1', port }, (res) => res.resume().once('end', resolve));
        request.once('error', ({ code }: NodeJS.ErrnoException) => {
          // A connection that could not be had, or that came when nobody accepted any more, was not kept.
          if (request.reusedSocket) failures.push(String(code));
          resolve();
        });
      });
    const clients = Array.from({ length: 24 }, async (_, index) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      await ask(agent);
      connected += 1;
      while (!stopped) {
        await ask(agent);
        // Each at its own pace: some are about to send, others are idle, when the server stops accepting.
        await delay(20 * (index + 1));
      }
      agent.destroy();
    });
    await until(() => connected === clients.length);
    assert.equal(await drain(server, 10_000), true);
    stopped = true;
    await Promise.all(clients);
    assert.deepEqual(failures, []);
  });

  test('at a stop an idle keep-alive connection is answered once more, as promised', async () => {
    const { server, port } = await start();
    const kept = await open(port, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(kept, 'data');
    const drained = drain(server, 60_000);
    while (server.listening) await turn();
    kept.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    assert.match(await readToEnd(kept), /^HTTP\/1\.1 200 [\s\S]*connection: close[\s\S]*answered$/i);
    assert.equal(await drained, true);
  });

  test('at a forced stop idle connections are closed at once', async () => {
    const { server, port } = await start();
    const kept = await open(port, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(kept, 'data');
    const hurry = new AbortController();
    const drained = drain(server, 60_000, hurry.signal);
    while (server.listening) await turn();
    assert.equal(kept.readableEnded, false);
    hurry.abort();
    assert.equal(await readToEnd(kept), '');
    assert.equal(await drained, true);
  });

  test('at a stop it serves the connections in the accept queue', async () => {
    const { server, port } = await start((_req, res) => res.end('served'));
    // The system has them at once; the server has had no turn to take any.
    const waiting = Array.from({ length: 20 }, () => open(port, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'));
    const drained = drain(server, 10_000);
    for (const socket of await Promise.all(waiting))
      assert.match(await readToEnd(socket), /^HTTP\/1\.1 200 [\s\S]*served$/);
    assert.equal(await drained, true);
  });

  test('at a stop it aborts what does not end in time', async () => {
    const { server, port } = await start(() => {});
    const stuck = await open(port, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(server, 'request');
    assert.equal(await drain(server, 100), false);
    await readToEnd(stuck).catch(() => '');
    assert.ok(stuck.destroyed);
  });

  /** A server whose connections another one accepts, as that of a process with a supervisor. */
  async function startGiven(app: RequestListener, patience?: Patience, most: number | null = null) {
    const server = createServer(app, patience);
    const take = takeGiven(server, most);
    const front = createNetServer(take).listen(0, '127.0.0.1');
    fronts.push(front);
    await once(front, 'listening');
    const { port } = front.address() as AddressInfo;
    return { server, port };
  }

  test('connections that another process accepts have the same limits', async () => {
    const answer: RequestListener = (_req, res) => res.end('answered');
    const patience = { headers: 200, request: 400, idle: 1500, answer: 1500, check: 50 };
    const { port: hasty } = await startGiven(answer, patience);
    assert.match(await sendText(hasty, 'GET / HTTP/1.1\r\nHo'), /^HTTP\/1\.1 408 /);
    // Patient, so that a busy machine does not free a place.
    const { port } = await startGiven(answer, undefined, 2);
    const two = [await open(port, ''), await open(port, '')];
    assert.equal(await readToEnd(await open(port, '')), '');
    for (const socket of two) socket.destroy();
  });

  test('at a stop it finishes what came on connections that another process accepted', async () => {
    let finish = () => {};
    const { server, port } = await startGiven((_req, res) => {
      finish = () => res.end('late');
    });
    const running = await open(port, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(server, 'request');
    const drained = drain(server, 10_000);
    finish();
    assert.match(await readToEnd(running), /^HTTP\/1\.1 200 [\s\S]*connection: close[\s\S]*late$/i);
    assert.equal(await drained, true);
  });

  test('an address that cannot be bound is reported', async () => {
    const { port } = await start();
    const second = createServer(() => {});
    await assert.rejects(listen(second, { host: '127.0.0.1', port }), { code: 'unavailable', message: /PORT/ });
  });
});
