/**
 * An Internet on loopback: names lead to the addresses said, and every address to one server, while attempts to connect
 * are counted.
 */

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect as netConnect, type Server } from 'node:net';
import type { Network } from '../../src/adapters/egress/connect.ts';

const file = (name: string) => readFileSync(new URL(`certificates/${name}`, import.meta.url));
const certificate = file('certificate.pem');

/** What a policy allows that forbids no address by itself. */
export const everywhere = { public: true, hosts: [], isOwnHost: () => false };

/** For requests that are to succeed: far more than a busy machine takes. */
export const patientMilliseconds = 60_000;

/** Where `api.example.com` and its like are said to be. */
export const publicAddress = '93.184.215.14';

export interface Attempt {
  readonly address: string;
  readonly port: number;
}

export interface Internet {
  readonly network: Network;
  /**
   * Addresses of a name; a function is called for each question. Names below example.com and example.net are public
   * unless said.
   */
  readonly names: Map<string, readonly string[] | (() => readonly string[])>;
  /** Every connection that was tried, since the last `forget`. */
  readonly attempts: readonly Attempt[];
  /** Names that were resolved. */
  readonly questions: readonly string[];
  forget(): void;
  /** Answers requests by https; the listed ones by http too. */
  handle(listener: RequestListener): void;
  close(): Promise<void>;
}

async function start(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

export async function openInternet(): Promise<Internet> {
  let listener: RequestListener = (_, res) => res.end('hello');
  const answer: RequestListener = (req, res) => listener(req, res);
  const servers = [
    createHttpsServer({ cert: certificate, key: file('key.pem') }, answer),
    createHttpServer(answer),
  ] as const;
  const [securePort, plainPort] = await Promise.all([start(servers[0]), start(servers[1])]);
  const names: Internet['names'] = new Map();
  const attempts: Attempt[] = [];
  const questions: string[] = [];
  const network: Network = {
    ca: certificate,
    resolve: async (name) => {
      questions.push(name);
      const said = names.get(name) ?? (/\.example\.(com|net)$/.test(name) ? [publicAddress] : []);
      return typeof said === 'function' ? said() : said;
    },
    connect: async (address, port) => {
      attempts.push({ address, port });
      const socket = netConnect(port === 443 ? securePort : plainPort, '127.0.0.1');
      await once(socket, 'connect');
      return socket;
    },
  };
  return {
    network,
    names,
    attempts,
    questions,
    forget: () => {
      attempts.length = 0;
      questions.length = 0;
    },
    handle: (given) => {
      listener = given;
    },
    close: async () => {
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}
