/**
 * Clients of several servers that go on while their database changes hands: refreshes at both doors, registrations,
 * management, sign-ins. A 503 is noted, and the same is tried again; what was acknowledged is in a journal.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { CookieJar, clientAuthentication, redeem, type Sender, signInForCode } from '../support/sign-in.ts';
import { until } from '../support/until.ts';
import type { Wire } from '../support/wire.ts';
import type { Load } from './mixed-load.ts';
import { doors } from './nodes.ts';
import { createTally, type Tally } from './tally.ts';

export interface LeaderLoad {
  /** Answers to each kind of call. */
  readonly tallies: Readonly<Record<Kind, Tally>>;
  /** When each success was complete, by the server that answered it; of what writes. */
  readonly successes: readonly (readonly number[])[];
  /** What is neither the right answer nor a 503 with `Retry-After`. */
  odd(): string[];
  /** Waits until each kind has succeeded once more. */
  eachOnceMore(): Promise<void>;
  /** Holds everything, waits for what is under way, runs `work` and goes on. */
  pausedFor<Result>(work: () => Promise<Result>): Promise<Result>;
  /** What was acknowledged of users and is not there. */
  readUsers(): Promise<string[]>;
  stop(): Promise<void>;
}

const kinds = ['refreshes', 'registrations', 'management', 'sign-ins'] as const;
type Kind = (typeof kinds)[number];

/** A client that is told to wait a second; here it asks sooner, to see when the first answer is good again. */
const againMilliseconds = 50;
/** Between two successes of one client: the processors are not what is measured. */
const restMilliseconds = 15;

/** Within which each kind must succeed while the database is well. */
const patienceMilliseconds = 60_000;

/** The service said 503. */
class Unavailable extends Error {}

interface UserWrites {
  readonly id: number;
  acknowledged: number;
}

/** Starts all of it, on these refresh tokens; `load` has who registers and who signs in, `bearer` is who manages. */
export function startLeaderLoad(load: Load, tokens: readonly string[], bearer: string): LeaderLoad {
  const { nodes, journal } = load;
  const tallies = Object.fromEntries(kinds.map((kind) => [kind, createTally()])) as Record<Kind, Tally>; // Each kind.
  const counts = Object.fromEntries(kinds.map((kind) => [kind, 0])) as Record<Kind, number>;
  const successes = nodes.wires.map((): number[] => []);
  const wrong: string[] = [];
  const users: UserWrites[] = [];
  const headers = { authorization: `Bearer ${bearer}` };
  let goesOn = true;
  let paused = false;
  let busy = 0;

  /** A way through one server whose 503s end what is being done. */
  function through(kind: Kind, wire: Wire): Sender {
    return {
      send: async (...request) => {
        const answer = await tallies[kind].note(wire.send(...request));
        if (!answer || answer.status === 503) throw new Unavailable();
        return answer;
      },
    };
  }

  async function lane(kind: Kind, work: (sender: Sender, turn: number) => Promise<void>, offset = 0): Promise<void> {
    for (let turn = offset; goesOn; turn += 1) {
      while (paused && goesOn) await delay(restMilliseconds);
      const server = turn % nodes.wires.length;
      busy += 1;
      try {
        await work(through(kind, nodes.wires[server] as Wire), turn);
        counts[kind] += 1;
        successes[server]?.push(performance.now());
        await delay(restMilliseconds);
      } catch (error) {
        if (!(error instanceof Unavailable)) wrong.push(`${kind}: ${String(error).slice(0, 300)}`);
        await delay(againMilliseconds);
      } finally {
        busy -= 1;
      }
    }
  }

  function expect(status: number, ...allowed: number[]): void {
    if (!allowed.includes(status)) throw new Error(`answered ${status}`);
  }

  /** A chain that is refused stays where it is: its history says what was wrong. */
  function chain(first: string): (sender: Sender, turn: number) => Promise<void> {
    let token = first;
    return async (sender, turn) => {
      const { headers, form } = clientAuthentication(nodes.client);
      const call = { client: nodes.client.client_id, sent: token, calledAt: performance.now() };
      const refresh = { ...form, grant_type: 'refresh_token', refresh_token: token };
      const door = doors[Math.floor(turn / 2) % 2] ?? doors[0];
      try {
        const { status, body } = await sender.send('POST', door, { headers, form: refresh });
        const ended = { ...call, answeredAt: performance.now() };
        journal.history.push(
          status === 200
            ? { ...ended, got: body.refresh_token, outcome: 'success' }
            : { ...ended, got: null, outcome: 'refused' },
        );
        expect(status, 200);
        token = body.refresh_token;
      } catch (error) {
        // It may have been committed all the same.
        if (error instanceof Unavailable) {
          journal.history.push({ ...call, got: null, outcome: 'no answer', answeredAt: performance.now() });
        }
        throw error;
      }
    };
  }

  async function register(sender: Sender, turn: number): Promise<void> {
    const path = Math.floor(turn / 2) % 2 === 0 ? '/oidc/2/register' : '/oauth2/register';
    const json = { client_name: `App ${turn}`, redirect_uris: ['https://app.example.com/callback'] };
    const answer = await sender.send('POST', path, { headers: { authorization: `Bearer ${load.bearer}` }, json });
    expect(answer.status, 200, 201);
    journal.clients.push(answer.body);
  }

  /** A new user, then new titles for it, each a number. */
  async function manage(sender: Sender, turn: number): Promise<void> {
    const last = users.at(-1);
    if (!last || turn % 10 === 0) {
      const json = { email: `made-${turn}@example.com`, title: '0' };
      const { status, body } = await sender.send('POST', '/api/2/users', { headers, json });
      // Who was not told of it meets the user that it made.
      expect(status, 200, 201, 422);
      if (status !== 422) users.push({ id: body.id, acknowledged: 0 });
      return;
    }
    const json = { title: String(turn) };
    expect((await sender.send('PUT', `/api/2/users/${last.id}`, { headers, json })).status, 200);
    last.acknowledged = turn;
  }

  async function signIn(sender: Sender, turn: number): Promise<void> {
    const jar = new CookieJar();
    const email = load.emails[turn % load.emails.length] ?? '';
    const query = await signInForCode(sender, nodes.client, { email }, {}, jar);
    journal.signIns.push({ tokens: await redeem(sender, nodes.client, query.get('code') ?? ''), jar });
  }

  const lanes = [
    ...tokens.map((token, index) => lane('refreshes', chain(token), index)),
    lane('registrations', register),
    lane('management', manage),
    lane('sign-ins', signIn),
  ];

  async function pausedFor<Result>(work: () => Promise<Result>): Promise<Result> {
    paused = true;
    await until(() => busy === 0);
    try {
      return await work();
    } finally {
      paused = false;
    }
  }

  return {
    tallies,
    successes,
    odd: () => [...wrong, ...Object.values(tallies).flatMap((tally) => tally.beyond(200, 201, 303, 422))],
    eachOnceMore: async () => {
      const before = { ...counts };
      const missing = () => kinds.filter((kind) => counts[kind] === before[kind]);
      const endsAt = performance.now() + patienceMilliseconds;
      while (missing().length > 0) {
        if (performance.now() > endsAt) {
          const answers = missing().map((kind) => `${kind} (${tallies[kind].text()})`);
          throw new Error(`no success any more: ${answers.join('; ')}; ${[...new Set(wrong)].join('; ')}`);
        }
        await delay(restMilliseconds);
      }
    },
    pausedFor,
    readUsers: async () => {
      const lost: string[] = [];
      for (const { id, acknowledged } of users) {
        const { status, body } = await nodes.wires[0].send('GET', `/api/2/users/${id}`, { headers });
        if (status !== 200 || Number(body.title) < acknowledged) lost.push(`user ${id}, change ${acknowledged}`);
      }
      return lost;
    },
    stop: async () => {
      goesOn = false;
      await Promise.all(lanes);
    },
  };
}
