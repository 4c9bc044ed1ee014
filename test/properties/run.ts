/** Sends generated requests to a running service and keeps count of what came back. */

import assert from 'node:assert/strict';
import { type Verification, verifyTrail } from '../../src/domain/audit/verify.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import type { Answer } from '../support/conforms.ts';
import { assertFewSentAgain } from '../support/sent-again.ts';
import type { DatabaseKind } from '../support/stores.ts';
import { setUser } from '../support/users.ts';
import { applyFault, type Faulty } from './apply-fault.ts';
import { type Client, overClient, serve } from './client.ts';
import type { Fault, FaultKind } from './fault.ts';
import { takeLive } from './live.ts';
import { forgetVisitors } from './live-account.ts';
import { forgetLegacy } from './live-legacy.ts';
import type { Operation } from './operations.ts';
import { Pool } from './pool.ts';
import { asksForSignIn, assertRefused } from './refused.ts';
import { examplesOf, type Plan } from './requests.ts';
import type { Taken } from './taken.ts';
import { describeWire, encode, type Prepared, prepare, type Wire } from './wire.ts';

/** Requests under way at once. */
export const lanes = 16;

const settings = {
  'grant.password': 'on',
  'grant.implicit': 'on',
  'refresh.idle_days': '1',
  'limit.api-2': 'off',
  'limit.hooks': 'off',
  'limit.authorize': 'off',
  'limit.consent': 'off',
  'limit.par': 'off',
  'limit.public-client': 'off',
  'limit.register': 'off',
  'limit.register-open': 'off',
  'limit.sign-in': 'off',
  'limit.client-auth': 'off',
  'limit.delegated': 'off',
  'limit.invite': 'off',
  'limit.reset': 'off',
  'limit.reset-user': 'off',
  'limit.xml': 'off',
};

const dayMilliseconds = 86_400_000;

/** What came back to the requests of one operation. */
export interface Tally {
  valid: number;
  /** Valid ones that were answered 2xx or 3xx. */
  passed: number;
  wrong: number;
  readonly statuses: Map<number, number>;
  readonly kinds: Map<FaultKind, number>;
}

export interface Run {
  readonly tallies: ReadonlyMap<string, Tally>;
  /** Sends a request that fits the contract. */
  sendValid(plan: Plan): Promise<void>;
  /** Sends one with exactly one thing wrong, which must be refused. */
  sendWrong(plan: Plan, fault: Fault): Promise<void>;
  /** Fails where more requests were sent again than a busy machine makes necessary; how many were. */
  assertFewSentAgain(): number;
  /** Verifies the audit trails of both accounts after all that. */
  verifyTrails(): Promise<readonly Verification[]>;
  dispose(): Promise<void>;
}

/** A service on a fresh database with two accounts whose limits are off, and what requests to it are made of. */
export interface Stage {
  readonly app: TestApp;
  readonly client: Client;
  readonly pool: Pool;
  /** Of the other account. */
  readonly other: Pool;
  /** Values that have expired, for requests that need the same things. */
  expiredFor(plan: Plan): Taken | undefined;
  dispose(): Promise<void>;
}

export async function openStage(kind: DatabaseKind, seed: number, operations: readonly Operation[]): Promise<Stage> {
  const app = await openTestApp(kind, { settings });
  const client = await serve(app, lanes);
  const pool = new Pool(overClient(app, client));
  const other = new Pool(overClient(await app.another(settings), client));
  const expired = await takeExpiring(pool, seed, operations);
  // Longer than anything lives but a session's user, a client and a pair.
  app.services.clock.advance(dayMilliseconds + 3_600_000);
  pool.forget();
  forgetLegacy(pool);
  forgetVisitors(pool);
  return {
    app,
    client,
    pool,
    other,
    expiredFor: (plan) => expired.get(keyOf(plan)),
    dispose: async () => {
      await client.close();
      await app.dispose();
    },
  };
}

/** The request of a plan with the values that it needs, as it would be sent. */
export async function takeRequest(
  pool: Pool,
  plan: Plan,
): Promise<{ readonly taken: Taken; readonly request: Prepared }> {
  const taken = await takeLive(pool, plan);
  return { taken, request: prepare(plan, taken.live, hostOf(pool)) };
}

/** The request with the fault, or with another one where this one has nothing to act on. */
export async function withFault(
  { other, expiredFor }: Pick<Stage, 'other' | 'expiredFor'>,
  plan: Plan,
  request: Prepared,
  taken: Taken,
  fault: Fault,
): Promise<[Fault, Faulty]> {
  const sources = { foreign: await borrow(other, plan, fault), expired: expiredFor(plan) };
  const applied = applyFault(fault, request, taken, sources);
  return applied ? [fault, applied] : instead(request, taken, sources);
}

export async function startRun(kind: DatabaseKind, seed: number, operations: readonly Operation[]): Promise<Run> {
  const stage = await openStage(kind, seed, operations);
  const { app, client, pool, other } = stage;
  const tallies = new Map(operations.map(({ name }) => [name, newTally()]));
  const tallyOf = ({ operation }: Plan) => tallies.get(operation.name) ?? newTally();
  return {
    tallies,
    sendValid: async (plan) => {
      const { taken, request } = await takeRequest(pool, plan);
      const answer = await sendChecked(app, client, await proven(taken, encode(request)));
      await taken.settle?.(answer);
      count(tallyOf(plan), answer);
      tallyOf(plan).valid += 1;
      if (answer.status < 400) tallyOf(plan).passed += 1;
    },
    sendWrong: async (plan, fault) => {
      const { taken, request } = await takeRequest(pool, plan);
      const [used, { wire: unproven, ...refusal }] = await withFault(stage, plan, request, taken, fault);
      const faulty = { ...refusal, wire: await proven(taken, unproven, used) };
      const closed = used.kind === 'user locked' || used.kind === 'user suspended';
      if (closed) await closeUser(app, taken, used.kind);
      const answer = await sendChecked(app, client, faulty.wire);
      if (!closed) await taken.settle?.(answer);
      count(tallyOf(plan), answer);
      tallyOf(plan).wrong += 1;
      tallyOf(plan).kinds.set(used.kind, (tallyOf(plan).kinds.get(used.kind) ?? 0) + 1);
      // The sessions of who is suspended have ended: their pages ask for a sign-in.
      if (used.kind === 'user suspended' && asksForSignIn(answer)) return;
      explain(used, faulty.wire, answer, () => assertRefused(faulty, answer));
    },
    assertFewSentAgain: () => {
      const requests = [...tallies.values()].reduce((sum, { valid, wrong }) => sum + valid + wrong, 0);
      assertFewSentAgain(client.sentAgain, requests, lanes);
      return client.sentAgain.length;
    },
    verifyTrails: () =>
      Promise.all([pool, other].map(({ app: { services, account } }) => verifyTrail(services, account))),
    dispose: stage.dispose,
  };
}

/** With the proof that goes with its token, if it has one that is bound to a key. */
async function proven({ prove }: Taken, wire: Wire, fault: Fault | null = null): Promise<Wire> {
  return prove ? prove(wire, fault) : wire;
}

function newTally(): Tally {
  return { valid: 0, passed: 0, wrong: 0, statuses: new Map(), kinds: new Map() };
}

function count({ statuses }: Tally, { status }: Answer): void {
  statuses.set(status, (statuses.get(status) ?? 0) + 1);
}

function hostOf({ app }: Pool): string {
  return new URL(app.account.baseUrl).host;
}

/** Requests that need the same things. */
function keyOf({ operation, scheme, body }: Plan): string {
  return `${operation.name} ${scheme?.name} ${body?.['grant_type']}`;
}

async function takeExpiring(pool: Pool, seed: number, operations: readonly Operation[]): Promise<Map<string, Taken>> {
  const taken = new Map<string, Taken>();
  for (const operation of operations) {
    for (const plan of examplesOf(operation, seed)) {
      if (!taken.has(keyOf(plan))) taken.set(keyOf(plan), await takeLive(pool, plan));
    }
  }
  return taken;
}

/** The same values of another account, given back at once. */
async function borrow(other: Pool, plan: Plan, { kind }: Fault): Promise<Taken> {
  if (kind !== "another account's") return { live: {} };
  const foreign = await takeLive(other, plan);
  await foreign.settle?.({ status: 400, headers: {}, text: '', body: undefined });
  return foreign;
}

/** What is wrong where the chosen fault has nothing to act on: every request has a Host. */
function instead(
  ...[request, taken, sources]: Parameters<typeof applyFault> extends [Fault, ...infer Rest] ? Rest : never
): [Fault, Faulty] {
  const fault: Fault = { kind: 'unknown host', value: 'nobody.gatehouse.example', pick: 0 };
  const faulty = applyFault(fault, request, taken, sources);
  assert.ok(faulty);
  return [fault, faulty];
}

async function closeUser({ services, account }: TestApp, { user }: Taken, kind: FaultKind): Promise<void> {
  assert.ok(user);
  await setUser(services, account, user.id, { status: kind === 'user locked' ? 'locked' : 'suspended' });
}

/** What a database says on a machine that is too busy: nothing was done, and the request may be sent again. */
const ranOutOfTime = /57014|KnexTimeoutError/;

/** Sends, and holds the answer against the contract; a failure of the service shows its log. */
async function sendChecked({ services }: TestApp, client: Client, wire: Wire): Promise<Answer> {
  const send = () =>
    client.send(wire).catch((cause: unknown) => {
      throw new Error(`${cause instanceof Error ? cause.message : cause}\n\n${describeWire(wire)}`, { cause });
    });
  const loggedOf = ({ headers }: Answer) =>
    services.lines.filter((line) => line['requestId'] === headers['x-request-id']);
  let answer = await send();
  if (answer.status === 503 && loggedOf(answer).some(({ reason }) => ranOutOfTime.test(String(reason)))) {
    client.sentAgain.push(`${wire.method} ${wire.target}: 503`);
    answer = await send();
  }
  if (answer.status >= 500) {
    const logged = loggedOf(answer);
    const said = logged.map(({ stack, ...line }) => `${JSON.stringify(line)} ${stack ?? ''}`).join('\n');
    explain(undefined, wire, answer, () => assert.fail(`the service failed: ${said}`));
  }
  return answer;
}

function explain(fault: Fault | undefined, wire: Wire, answer: Answer, check: () => void): void {
  try {
    check();
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    const given = fault ? `one thing wrong: ${JSON.stringify(fault).slice(0, 500)}\n\n` : '';
    const got = `${answer.status} ${JSON.stringify(answer.headers)}\n${answer.text.slice(0, 1500)}`;
    throw new Error(`${message}\n\n${given}${describeWire(wire)}\n\n${got}`, { cause });
  }
}
