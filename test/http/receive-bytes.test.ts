import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import express, { type ErrorRequestHandler } from 'express';
import { receiveBytes } from '../../src/http/receive-bytes.ts';

const limit = 10;
const head = (...fields: string[]) => `POST / HTTP/1.1\r\nhost: x\r\n${fields.join('\r\n')}\r\n\r\n`;

/** What came of a request: the bytes as text, and whether nobody had to wait for them; or the code of the refusal. */
type Outcome = `${'at once' | 'later'}: ${string}` | `refused: ${string}`;

/** The server's side of the connection: what came of the next request, and that it has begun to read another one. */
interface Requests {
  next(): Promise<Outcome>;
  begun(): Promise<void>;
}

async function withServer(run: (socket: Socket, requests: Requests) => Promise<void>): Promise<void> {
  const outcomes: Outcome[] = [];
  let reading = 0;
  const receive = receiveBytes(limit);
  const app = express();
  // As surfaces do, which look up the account first.
  app.use(async (req, res, next) => {
    await Promise.resolve();
    let isLater = false;
    receive(req, res, (error?: unknown) => {
      if (error) return next(error);
      outcomes.push(`${isLater ? 'later' : 'at once'}: ${req.body}`);
      res.end();
    });
    isLater = true;
    reading += 1;
  });
  app.use(((error: { code: string }, _req, res, _next) => {
    outcomes.push(`refused: ${error.code}`);
    res.status(400).end();
  }) satisfies ErrorRequestHandler);
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    await run(socket, {
      next: async () => {
        while (outcomes.length === 0) await turn();
        return outcomes.shift() as Outcome;
      },
      begun: async () => {
        for (const before = reading; reading === before; ) await turn();
      },
    });
  } finally {
    socket.destroy();
    server.close();
    await once(server, 'close');
  }
}

test('a body that came with its head is there at once, and the next request of the connection follows it', () =>
  withServer(async (socket, { next }) => {
    socket.write(`${head('content-length: 5')}first`);
    assert.equal(await next(), 'at once: first');
    socket.write(`${head('content-length: 6')}second${head('content-length: 5')}third`);
    assert.equal(await next(), 'at once: second');
    assert.match(await next(), /^(at once|later): third$/);
  }));

test('a body in parts is awaited', () =>
  withServer(async (socket, { next, begun }) => {
    socket.write(`${head('content-length: 10')}first`);
    await begun();
    socket.write('later');
    assert.equal(await next(), 'later: firstlater');
  }));

test('a body in chunks is complete, however they came', () =>
  withServer(async (socket, { next, begun }) => {
    const chunked = 'transfer-encoding: chunked';
    socket.write(`${head(chunked)}3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n`);
    assert.match(await next(), /: abcde$/);
    socket.write(`${head(chunked)}3\r\nabc\r\n`);
    await begun();
    socket.write('2\r\nde\r\n0\r\n\r\n');
    assert.equal(await next(), 'later: abcde');
  }));

test('a body over the limit is refused, whole or announced', async () => {
  await withServer(async (socket, { next }) => {
    socket.write(`${head('content-length: 11')}more than 10`.slice(0, -1));
    assert.equal(await next(), 'refused: body_too_large');
  });
  await withServer(async (socket, { next }) => {
    socket.write(`${head('transfer-encoding: chunked')}b\r\nmore than 1\r\n`);
    assert.equal(await next(), 'refused: body_too_large');
  });
});
