/** Strangers that send unknown names over many connections at once, and the owner of an account. */

import { setTimeout as delay } from 'node:timers/promises';
import { authorizePath, CookieJar, readForm, walk } from '../support/sign-in.ts';
import { openWire } from '../support/wire.ts';
import { openSignIn } from './hook-sign-ins.ts';
import type { Nodes } from './nodes.ts';
import { createTally, type Tally } from './tally.ts';

/**
 * Until the owner comes again when he is told to, and strangers do: more often would try the HTTP server, not the
 * queue.
 */
const retryMilliseconds = 1000;
/** Well within the five seconds that the service keeps an idle connection: a request at its end meets a reset. */
const strangersRetryMilliseconds = 3000;
/** The maximum run time of a hook's function, plus a margin. */
const longestAnswerMilliseconds = 15_000;

export interface Strangers {
  readonly tally: Tally;
  /** Settles when the last answer came. */
  end(): Promise<void>;
}

export interface Flood {
  readonly connections: number;
  /** Addresses, each of another network; infinitely many are of one IPv6 /48, a /64 for each name that is sent. */
  readonly sources: number;
  /** Whether a connection continues from the next address a second after a refusal, instead of its own after three. */
  readonly goesRound?: boolean;
}

/** Each connection sends one name after the other; the service trusts its proxy. */
export async function openStrangers(
  { account, client, installation }: Nodes,
  { connections, sources, goesRound = false }: Flood,
): Promise<Strangers> {
  const wire = openWire({ port: installation.port, host: account.host, connections });
  const tally = createTally();
  let isOver = false;
  let sent = 0;
  // One page serves them all: to open a thousand would take longer than the flood.
  const { jar, answer } = await walk(account, new CookieJar(), authorizePath(client));
  const { action, fields } = readForm(answer.text);
  const connection = async (number: number) => {
    while (!isOver) {
      const address = addressOf(goesRound ? sent : number, sources);
      const headers = { ...jar.header, 'x-forwarded-for': address };
      sent += 1;
      const form = { ...fields, username: `nobody${sent}@example.com`, password: 'a wrong password' };
      const got = await tally.note(wire.call('POST', action, { headers, form }));
      if (got?.status !== 401 && !isOver) await delay(goesRound ? retryMilliseconds : strangersRetryMilliseconds);
    }
  };
  const all = Promise.all(Array.from({ length: connections }, (_, number) => connection(number)));
  return {
    tally,
    async end() {
      isOver = true;
      await Promise.race([all, delay(longestAnswerMilliseconds)]);
      wire.close();
    },
  };
}

function addressOf(number: number, sources: number): string {
  if (sources === Number.POSITIVE_INFINITY) return `2001:db8:1:${(number % 65_536).toString(16)}::1`;
  const source = number % sources;
  return `${20 + Math.floor(source / 250)}.${source % 250}.0.1`;
}

export interface OwnersSignIn {
  /** From sending the password until the answer, with what had to be sent again. */
  readonly milliseconds: number;
  /** Statuses of the answers that did not sign him in. */
  readonly refused: readonly number[];
}

/** One sign-in of the owner, who retries while the service is busy. */
export async function signInOwner({ wires: [wire], client, user }: Nodes): Promise<OwnersSignIn> {
  const signIn = await openSignIn(wire, client, user.email);
  const began = performance.now();
  const refused: number[] = [];
  for (;;) {
    const { status } = await signIn();
    const milliseconds = performance.now() - began;
    if (status === 200 || status === 303) return { milliseconds, refused };
    refused.push(status);
    if (status !== 503 || milliseconds > longestAnswerMilliseconds) return { milliseconds, refused };
    await delay(retryMilliseconds);
  }
}
