/** Lists of users as a program reads them, one request after the other, at servers of several sizes. */

import { Agent, type IncomingMessage, request } from 'node:http';
import contract from '../../generated/api-2.json' with { type: 'json' };
import { install } from '../support/process.ts';
import type { DatabaseKind } from '../support/stores.ts';
import { runSeeding, startProcess } from './gatehouse.ts';
import type { SeededList } from './seed-lists.ts';
import { endChild } from './servers.ts';

export const pageSize = 50;

interface Answered {
  readonly milliseconds: number;
  readonly headers: IncomingMessage['headers'];
  readonly items: readonly Readonly<Record<string, unknown>>[];
}

/** A list and its number of users. */
export interface UserList {
  /** Throws when the answer is not a page. */
  get(query: Readonly<Record<string, string>>): Promise<Answered>;
  stop(): Promise<void>;
}

export async function openUserList(kind: DatabaseKind, users: number): Promise<UserList> {
  const installation = await install(kind);
  const { host, token } = await runSeeding<SeededList>(installation, 'seed-lists.ts', [String(users)]);
  const { child, port } = await startProcess(installation);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const headers = { host, authorization: `Bearer ${token}` };
  return {
    get: (query) => patiently(() => send(agent, port, `/api/2/users?${new URLSearchParams(query)}`, headers)),
    stop: async () => {
      agent.destroy();
      await endChild(child, 'SIGTERM');
      await installation.dispose();
    },
  };
}

const mostTries = 10;

/** A numbered page deep in a million may take longer than the database is given; its rows are at hand the next time. */
async function patiently(ask: () => Promise<Answered>): Promise<Answered> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask();
    } catch (error) {
      if (tries === mostTries || !String(error).includes(': 503 ')) throw error;
    }
  }
}

function send(agent: Agent, port: number, path: string, headers: Record<string, string>): Promise<Answered> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const sent = request({ agent, host: '127.0.0.1', port, path, headers });
    sent.on('error', reject);
    sent.on('response', async (received) => {
      let text = '';
      for await (const chunk of received.setEncoding('utf8')) text += chunk;
      const milliseconds = performance.now() - startedAt;
      if (received.statusCode !== 200) reject(new Error(`${path}: ${received.statusCode} ${text.slice(0, 300)}`));
      else resolve({ milliseconds, headers: received.headers, items: JSON.parse(text) });
    });
    sent.end();
  });
}

/** One way to ask for a list. */
export interface ListCase {
  readonly name: string;
  readonly query: Readonly<Record<string, string>>;
}

/** Every order, exact filter and beginning that the contract documents; `sample` is any user. */
export function documentedCases(sample: Readonly<Record<string, unknown>>): ListCase[] {
  const { sort, exact, match } = contract.paths['/api/2/users'].get['x-list'];
  const known = Object.entries(sample).filter(([, value]) => value !== null);
  const values = Object.fromEntries(known.map(([name, value]) => [name, String(value)]));
  const sampleOf = (name: string): string => {
    const value = values[name];
    if (value === undefined) throw new Error(`no user has ${name}`);
    return value;
  };
  return [
    ...sort
      .flatMap((field) => [field, `-${field}`])
      .map((order) => ({ name: `sort=${order}`, query: { sort: order } })),
    ...[...Object.keys(exact), ...match].map((name) => ({ name: `${name}, exact`, query: { [name]: sampleOf(name) } })),
    ...match.map((name) => ({ name: `${name}, prefix`, query: { [name]: `${sampleOf(name).slice(0, 4)}*` } })),
  ];
}
