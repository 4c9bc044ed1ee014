/**
 * Refreshes and asks for `/healthz` at a fixed rate, however long the answers take; started by `beside.ts`, ends with
 * it.
 */

import { type HttpClient, openHttpClient, type RawAnswer } from '../http-client.ts';
import { requestsTo } from '../requests.ts';
import type { Target } from '../target.ts';
import type { FromBeside, Noticed, ToBeside } from './beside.ts';

const refreshMilliseconds = 10;
const healthzMilliseconds = 10;
/** Of each kind; what cannot be sent waits, and its time runs. */
const connections = 128;

type Counted = { -readonly [Member in keyof Noticed]: Noticed[Member] } & {
  readonly refreshes: number[];
  readonly healthz: number[];
};

const none = (): Counted => ({ refreshes: [], healthz: [], errors: 0, firstError: null });

let counted = none();
const underWay = new Set<Promise<void>>();

/** Items that are each used by one caller at a time, in order of request. */
function share<Item>(free: Item[]): <Result>(use: (item: Item) => Promise<Result>) => Promise<Result> {
  const waiting: ((item: Item) => void)[] = [];
  return async (use) => {
    const item = free.shift() ?? (await new Promise<Item>((resolve) => waiting.push(resolve)));
    try {
      return await use(item);
    } finally {
      const next = waiting.shift();
      if (next) next(item);
      else free.push(item);
    }
  };
}

/** Connections to the port, each opened when the first request is sent over it. */
function openClients(port: number): (request: string) => Promise<RawAnswer> {
  const withClient = share<HttpClient>(Array.from({ length: connections }, () => openHttpClient(port)));
  return (request) =>
    withClient(async (client) => {
      const answer = await new Promise<RawAnswer | Error>((resolve) => client.send(request, resolve));
      if (answer instanceof Error) throw answer;
      return answer;
    });
}

/** Calls `ask` at a fixed interval, late calls included, and measures each from when it was due. */
function repeat(milliseconds: number, kind: 'refreshes' | 'healthz', ask: () => Promise<void>): void {
  let due = performance.now() + milliseconds;
  const follow = (since: number) => {
    const asked = ask()
      .catch((error: Error) => {
        counted.errors += 1;
        counted.firstError ??= error.message;
      })
      .finally(() => {
        counted[kind].push(performance.now() - since);
        underWay.delete(asked);
      });
    underWay.add(asked);
  };
  setInterval(() => {
    for (; due <= performance.now(); due += milliseconds) follow(due);
  }, 1);
}

function start(target: Target): void {
  const [port = 0] = target.ports;
  const requests = requestsTo(target);
  // Each token is the head of a chain: one refresh of it at a time.
  const withToken = share(Array.from({ length: requests.size }, (_, position) => position));
  const refresh = openClients(port);
  repeat(refreshMilliseconds, 'refreshes', () =>
    withToken(async (position) => {
      const mistake = requests.check(position, await refresh(requests.write(position)));
      if (mistake !== null) throw new Error(mistake);
    }),
  );
  const look = openClients(port);
  repeat(healthzMilliseconds, 'healthz', async () => {
    const { status } = await look(`GET /healthz HTTP/1.1\r\nHost: ${target.host}\r\n\r\n`);
    if (status !== 200) throw new Error(`/healthz: ${status}`);
  });
}

async function take(): Promise<void> {
  await Promise.all(underWay);
  const noticed = counted;
  counted = none();
  process.send?.({ noticed } satisfies FromBeside);
}

process.on('message', (message: ToBeside) => {
  if (message === 'take') void take();
  else start(message.target);
});
process.once('disconnect', () => process.exit());
