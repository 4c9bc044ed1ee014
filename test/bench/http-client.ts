/** HTTP/1.1 by hand over one connection that stays open: the least a client can spend on a request. */

import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  /** The status line and the headers. */
  readonly head: string;
  readonly body: string;
}

export interface HttpClient {
  /** Sends one request and hands its answer, or what went wrong, to `done`; one at a time. */
  send(request: string, done: (answer: RawAnswer | Error) => void): void;
  close(): void;
}

interface ReadAnswer extends RawAnswer {
  /** The server closes the connection after it. */
  readonly closes: boolean;
}

/** Null until the answer is complete. Throws when it is not one that this client understands. */
function readAnswer(bytes: Buffer): ReadAnswer | null {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return null;
  const head = bytes.toString('latin1', 0, headEnd);
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (!head.startsWith('HTTP/1.1 ') || length === undefined) throw new Error(`cannot read this answer: ${head}`);
  const end = headEnd + 4 + Number(length);
  if (bytes.length < end) return null;
  if (bytes.length > end) throw new Error('more bytes than the answer has');
  return {
    status: Number(head.slice(9, 12)),
    head,
    body: bytes.toString('latin1', headEnd + 4, end),
    closes: /\r\nconnection: *close/i.test(head),
  };
}

/** A client of a port of loopback. It connects with the first request, and again when the server closed. */
export function openHttpClient(port: number): HttpClient {
  let socket: Socket | null = null;
  let received: Buffer | null = null;
  let waiting: ((answer: RawAnswer | Error) => void) | null = null;

  function finish(answer: RawAnswer | Error, closes: boolean): void {
    const done = waiting;
    waiting = null;
    received = null;
    if (closes) {
      socket?.destroy();
      socket = null;
    }
    done?.(answer);
  }

  function receive(chunk: Buffer): void {
    received = received ? Buffer.concat([received, chunk]) : chunk;
    try {
      const answer = readAnswer(received);
      if (answer) finish(answer, answer.closes);
    } catch (error) {
      finish(error as Error, true);
    }
  }

  function open(): Socket {
    const opened = connect({ host: '127.0.0.1', port, noDelay: true });
    opened.on('data', receive);
    opened.on('error', (error) => {
      if (socket === opened) finish(error, true);
    });
    opened.on('close', () => {
      if (socket === opened) finish(new Error('the server closed the connection'), true);
    });
    return opened;
  }

  return {
    send: (request, done) => {
      waiting = done;
      socket ??= open();
      socket.write(request, 'latin1');
    },
    close: () => {
      socket?.destroy();
      socket = null;
    },
  };
}
