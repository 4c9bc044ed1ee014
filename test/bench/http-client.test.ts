import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { type HttpClient, openHttpClient, type RawAnswer } from './http-client.ts';

const answerOf = (client: HttpClient) => new Promise<RawAnswer | Error>((resolve) => client.send('x', resolve));
const ok = (body: string, header = '') => `HTTP/1.1 200 OK\r\n${header}Content-Length: ${body.length}\r\n\r\n${body}`;

describe('the HTTP client of the generator', () => {
  let connections = 0;
  let next: (socket: Socket) => void = () => {};
  const server = createServer((socket) => {
    connections += 1;
    socket.on('data', () => next(socket)).on('error', () => {});
  });
  let client: HttpClient;

  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    client = openHttpClient((server.address() as AddressInfo).port);
  });
  after(() => {
    client.close();
    server.close();
  });

  it('reads an answer that arrives in pieces and reuses the connection', async () => {
    next = (socket) => {
      socket.write(ok('hello').slice(0, 30));
      setTimeout(() => socket.write(ok('hello').slice(30)), 20);
    };
    const head = 'HTTP/1.1 200 OK\r\nContent-Length: 5';
    assert.deepEqual({ ...(await answerOf(client)) }, { status: 200, head, body: 'hello', closes: false });
    next = (socket) => void socket.write(ok('again'));
    assert.equal(((await answerOf(client)) as RawAnswer).body, 'again');
    assert.equal(connections, 1);
  });

  it('reconnects when the server closes after an answer', async () => {
    next = (socket) => void socket.end(ok('last', 'Connection: close\r\n'));
    assert.equal(((await answerOf(client)) as RawAnswer).body, 'last');
    next = (socket) => void socket.write(ok('first'));
    assert.equal(((await answerOf(client)) as RawAnswer).body, 'first');
    assert.equal(connections, 2);
  });

  it('counts a broken connection and an unreadable answer as errors', async () => {
    next = (socket) => void socket.end(ok('hello').slice(0, 30));
    assert.ok((await answerOf(client)) instanceof Error);
    next = (socket) => void socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
    assert.ok((await answerOf(client)) instanceof Error);
    next = (socket) => void socket.write(`${ok('one')}${ok('two')}`);
    assert.ok((await answerOf(client)) instanceof Error);
  });
});
