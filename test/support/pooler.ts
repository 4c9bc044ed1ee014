/**
 * A connection pooler on loopback before a PostgreSQL, as PgBouncer is one: it lets clients in by itself, and gives a
 * server connection to each of them for a session or, in transaction mode, until the server says that it is idle.
 */

import { connect, createServer, type Socket } from 'node:net';
import pg from 'pg';

export interface Pooler {
  /** `postgres://` URL of the same database through the pooler. */
  readonly url: string;
  /** From now on it gives out transactions, on new connections of the server, as after a `RELOAD` and a `RECONNECT`. */
  giveTransactions(): void;
  /** Server connections that are open. */
  servers(): number;
  close(): Promise<void>;
}

export interface PoolerOptions {
  readonly mode: 'session' | 'transaction';
  /** Most server connections in transaction mode; 20 by default. */
  readonly size?: number;
  /** Which free server connection is used next; PgBouncer uses the last one by default. */
  readonly next?: 'last' | 'first';
}

const idle = 'I'.charCodeAt(0);
const sslRequest = 80_877_103;

/** Stands before the server and database of `url`. */
export async function startPooler(url: string, options: PoolerOptions): Promise<Pooler> {
  const { size = 20, next = 'last' } = options;
  let { mode } = options;
  const target = new URL(url);
  const free: Server[] = [];
  const waiting: ((server: Server) => void)[] = [];
  const open = new Set<Socket>();
  const reconnects = new Set<() => void>();
  let count = 0;

  async function take(): Promise<Server> {
    const found = next === 'last' ? free.pop() : free.shift();
    if (found) return found;
    if (count >= size && mode === 'transaction') return new Promise((resolve) => waiting.push(resolve));
    count += 1;
    const server = await logIn(url);
    open.add(server.socket);
    server.socket.once('close', () => {
      count -= 1;
      open.delete(server.socket);
    });
    return server;
  }

  function release(server: Server): void {
    server.socket.removeAllListeners('data');
    const first = waiting.shift();
    if (first) first(server);
    else free.push(server);
  }

  function serveClient(client: Socket): void {
    const frames = readFrames();
    let started = false;
    let server: Server | null = null;
    let unanswered = 0;
    let turn: Promise<void> = Promise.resolve();
    open.add(client);
    const reconnect = () => {
      // What is under way ends on the connection that it began on.
      if (unanswered > 0) return;
      server?.socket.destroy();
      server = null;
    };
    reconnects.add(reconnect);

    function answer(from: Server): void {
      const answers = readFrames();
      from.socket.on('data', (data) => {
        for (const frame of answers(data)) {
          if (client.writable) client.write(frame);
          if (frame.toString('latin1', 0, 1) !== 'Z') continue;
          unanswered -= 1;
          if (unanswered > 0 || frame[5] !== idle || mode === 'session') continue;
          server = null;
          release(from);
        }
      });
    }

    async function pass(frame: Buffer): Promise<void> {
      const type = frame.toString('latin1', 0, 1);
      if (type === 'X' || client.destroyed) return;
      if (!server) {
        server = await take();
        answer(server);
      }
      if (type === 'Q' || type === 'S') unanswered += 1;
      server.socket.write(frame);
    }

    client.on('data', (data) => {
      let bytes = data;
      while (!started && bytes.length >= 8) {
        const length = bytes.readUInt32BE(0);
        if (bytes.readUInt32BE(4) === sslRequest) {
          client.write('N');
        } else {
          started = true;
          client.write(welcome());
        }
        bytes = bytes.subarray(length);
      }
      for (const frame of frames(bytes)) turn = turn.then(() => pass(frame));
    });
    client.on('error', () => {});
    client.once('close', () => {
      open.delete(client);
      reconnects.delete(reconnect);
      // Session state left on a connection is discarded.
      void turn.then(() => server?.socket.destroy());
    });
  }

  const listener = createServer({ noDelay: true }, serveClient);
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const address = listener.address();
  if (address === null || typeof address === 'string') throw new Error('the pooler has no port');
  target.port = String(address.port);
  return {
    url: target.href,
    giveTransactions: () => {
      mode = 'transaction';
      for (const reconnect of reconnects) reconnect();
    },
    servers: () => count,
    close: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}

/** A connection to the server, logged in and idle. */
interface Server {
  readonly socket: Socket;
}

/** The client of PostgreSQL logs in; what follows is read here. */
async function logIn(url: string): Promise<Server> {
  let socket: Socket | undefined;
  const client = new pg.Client({
    connectionString: url,
    stream: () => {
      socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' });
      // The client connects it itself, once more.
      socket.connect = () => socket as Socket;
      return socket;
    },
  });
  await client.connect();
  if (!socket) throw new Error('there is no connection');
  for (const event of ['data', 'end', 'close', 'error', 'drain']) socket.removeAllListeners(event);
  socket.on('error', () => {});
  return { socket: socket.setNoDelay(true) };
}

/** AuthenticationOk, a BackendKeyData of the pooler's own, ReadyForQuery: idle. */
function welcome(): Buffer {
  const ok = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0]);
  const key = Buffer.from([0x4b, 0, 0, 0, 12, 0, 0, 0, 1, 0, 0, 0, 2]);
  return Buffer.concat([ok, key, Buffer.from([0x5a, 0, 0, 0, 5, idle])]);
}

/** Cuts what arrives into messages: a letter, a length of four bytes that counts itself, the rest. */
function readFrames(): (data: Buffer) => Buffer[] {
  let kept = Buffer.alloc(0);
  return (data) => {
    kept = Buffer.concat([kept, data]);
    const found: Buffer[] = [];
    while (kept.length >= 5) {
      const end = 1 + kept.readUInt32BE(1);
      if (kept.length < end) break;
      found.push(kept.subarray(0, end));
      kept = kept.subarray(end);
    }
    return found;
  };
}
