/** Refreshes and asks for `/healthz` at a fixed rate, however long the answers take; started by `beside.ts`, ends with it. */

import { type HttpClient, openHttpClient, type RawAnswer } from '../http-client.ts';
import { requestsTo } from '../requests.ts';
import type { Target } from '../target.ts';
import type { FromBeside, ToBeside } from './beside.ts';

const refreshMilliseconds = 20;
const healthzMilliseconds = 10;

interface Counted {
  refreshes: number[];
  healthz: number[];
  errors: number;
  firstError: string | null;
}

const none = (): Counted => ({ refreshes: [], healthz: [], errors: 0, firstError: null });

let counted = none();
const underWay = new Set<Promise<void>>();

/** Sends over a connection that nobody uses; so many are open as requests were under way at once. */
function openClients(port: number): (request: string) => Promise<RawAnswer> {
  const idle: HttpClient[] = [];
  return async (request) => {
    const client = idle.pop() ?? openHttpClient(port);
    const answer = await new Promise<RawAnswer | Error>((resolve) => client.send(request, resolve));
    idle.push(client);
    if (answer instanceof Error) throw answer;
    return answer;
  };
}

/** Calls `ask` every so many milliseconds, late calls included, and counts how long each took from when it was due. */
function repeat(milliseconds: number, taken: () => number[], ask: () => Promise<void>): void {
  let due = performance.now() + milliseconds;
  const follow = (since: number) => {
    const asked = ask()
      .catch((error: Error) => {
        counted.errors += 1;
        counted.firstError ??= error.message;
      })
      .finally(() => {
        taken().push(performance.now() - since);
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
  const send = openClients(port);
  const requests = requestsTo(target);
  // Each token is the head of a chain: one refresh of it at a time.
  const positions = Array.from({ length: requests.size }, (_, position) => position);
  repeat(
    refreshMilliseconds,
    () => counted.refreshes,
    async () => {
      const position = positions.shift();
      if (position === undefined) throw new Error('no refresh token is left: every refresh is waiting');
      try {
        const answer = await send(requests.write(position));
        const mistake = requests.check(position, answer);
        if (mistake !== null) throw new Error(mistake);
      } finally {
        positions.push(position);
      }
    },
  );
  repeat(
    healthzMilliseconds,
    () => counted.healthz,
    async () => {
      const { status } = await send(`GET /healthz HTTP/1.1\r\nHost: ${target.host}\r\n\r\n`);
      if (status !== 200) throw new Error(`/healthz: ${status}`);
    },
  );
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
