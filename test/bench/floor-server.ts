/** How all floors are reached: the first segment of the path names the floor. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Answered, Floors } from './floor-parts.ts';

function send(res: ServerResponse, { status, text, headers }: Answered): void {
  const length = Buffer.byteLength(text);
  res.writeHead(status, {
    'content-type': 'application/json',
    'content-length': length,
    'cache-control': 'no-store',
    ...headers,
  });
  res.end(text);
}

function answer(floors: Floors, { url = '', headers }: IncomingMessage, res: ServerResponse, body: string): void {
  const [, name = '', rest = ''] = /^\/([\w-]+)[/?]?(.*)$/.exec(url) ?? [];
  const reply = (answered: Answered) => send(res, answered);
  const floor = floors[name];
  if (floor) floor({ headers, rest, body, reply });
  else reply({ status: 404, text: '{}' });
}

export function openFloorServer(floors: Floors): Server {
  return createServer((req, res) => {
    let body = '';
    req.setEncoding('latin1').on('data', (chunk: string) => {
      body += chunk;
    });
    req.on('end', () => answer(floors, req, res, body));
  });
}
