/**
 * Every call of the store fails once: an operation is asked again and again, with its first call failing, then its
 * second, and so on until it is through before the fault is reached. Each call fails before it did anything; and each
 * call that writes also once it did all, so that only its answer is lost.
 */

import assert from 'node:assert/strict';
import { setAccount } from '../../src/domain/accounts/accounts.ts';
import { Failure } from '../../src/domain/failure.ts';
import { createRole } from '../../src/domain/roles/write-role.ts';
import type { Answer } from '../support/conforms.ts';
import { assertOwnForm, type FaultyApp, openFaultyApp } from '../support/faults.ts';
import type { DatabaseKind } from '../support/stores.ts';

/** A fault that was met: which call it was, and whether that had done its work. */
export interface Injected {
  readonly verb: string;
  readonly when: 'before' | 'afterwards';
}

/** One request that is ready to be sent, as often as its test likes. */
export interface Attempt {
  send(): Promise<Answer>;
  /** After the fault: looks at the answer to the same request, and at what there is now. */
  settle?(again: Answer, injected: Injected): Promise<void>;
}

export interface Operation {
  readonly title: string;
  readonly surface: string;
  readonly operationId: string;
  /** What it answers when nothing fails. */
  readonly status: number;
  /**
   * What it may answer as well when it is asked again: where the first request did all and only its answer was lost.
   */
  readonly again?: number | readonly number[];
  /** Calls whose failure the answer does not show. */
  readonly unnoticed?: RegExp;
  readonly prepare: (app: FaultyApp) => Promise<Attempt>;
}

export interface OperationResult {
  readonly points: readonly Injected[];
  /** What was wrong at a point, in words. */
  readonly lies: readonly string[];
}

const reads =
  /\.(find\w*|list\w*|read|lock|isAssigned|ofUser|idsOfUsers|valuesOf|page\w*|followedBy)$|^(generation|ping|status)$/;

/** More calls than any operation makes. */
const mostCalls = 100;

/** An application with everything that the operations ask of an account. */
export async function openApp(kind: DatabaseKind): Promise<FaultyApp> {
  const limits = ['sign-in', 'client-auth', 'register', 'register-open', 'reset'].map((name) => [
    `limit.${name}`,
    'off',
  ]);
  const settings = {
    ...Object.fromEntries(limits),
    registration: 'open',
    'grant.password': 'on',
    'grant.implicit': 'on',
  };
  const app = await openFaultyApp(kind, { settings });
  await createRole(app.services, app.account, { name: 'Everyone' });
  await setAccount(app.services, app.account.subdomain, { open_registration_roles: 'Everyone' });
  return app;
}

/** Which calls fail. */
export interface Which {
  /** Of those that only read, counted from 1, the ones that fail. */
  readonly reads: (count: number) => boolean;
  /** Of those that may write, counted from 1, the ones that fail; all unless said. */
  readonly writing?: (count: number) => boolean;
  /** When one that may write fails, which is the call of this number among those that fail. Both unless said. */
  readonly writes?: (call: number) => readonly Injected['when'][];
}

/** Makes each call of the operation fail before it did anything, and each that writes once it did all. */
export async function failEachCall(app: FaultyApp, operation: Operation, which: Which): Promise<OperationResult> {
  const points: Injected[] = [];
  const lies: string[] = [];
  async function failCall(call: number, when: Injected['when']): Promise<Injected | null> {
    const attempt = await operation.prepare(app);
    // Forgets what is kept in memory: the operation asks for everything itself.
    await app.services.store.accounts.update(app.account.id, { name: app.account.name });
    const { answer, injected } = await sendWithFault(app, attempt, call, when, which);
    if (!injected) {
      assert.equal(answer.status, operation.status, answer.text);
      return null;
    }
    points.push(injected);
    try {
      if (operation.unnoticed?.test(injected.verb)) assert.equal(answer.status, operation.status, answer.text);
      else assertUnavailable(operation, answer);
      await settle(operation, attempt, injected);
    } catch (error) {
      lies.push(`${operation.title}: ${injected.verb} (call ${call}) failed ${when}: ${(error as Error).message}`);
    }
    return injected;
  }
  for (let call = 1; call < mostCalls; call += 1) {
    const [first = 'before', second] = which.writes?.(call) ?? (['before', 'afterwards'] as const);
    const injected = await failCall(call, first);
    if (!injected) return { points, lies };
    if (second && !reads.test(injected.verb)) await failCall(call, second);
  }
  throw new Error(`${operation.title} makes more than ${mostCalls} calls of the store`);
}

async function sendWithFault(app: FaultyApp, attempt: Attempt, call: number, when: Injected['when'], which: Which) {
  let calls = 0;
  let readsSoFar = 0;
  let writesSoFar = 0;
  let injected: Injected | null = null;
  app.fail((verb) => {
    if (reads.test(verb)) {
      readsSoFar += 1;
      if (!which.reads(readsSoFar)) return null;
    } else {
      writesSoFar += 1;
      if (which.writing?.(writesSoFar) === false) return null;
    }
    calls += 1;
    if (calls !== call) return null;
    const error = new Failure('unavailable', { retryAfterSeconds: 1, reason: 'injected' });
    // A read whose result was lost has no effect.
    injected = { verb, when: reads.test(verb) ? 'before' : when };
    return injected.when === 'before' ? error : { afterwards: error };
  });
  try {
    const answer = await attempt.send();
    return { answer, injected: injected as Injected | null };
  } finally {
    app.fail(null);
  }
}

function assertUnavailable({ surface, operationId }: Operation, answer: Answer): void {
  assert.equal(answer.status, 503, answer.text.slice(0, 200));
  assertOwnForm(surface, { operationId }, answer);
  assert.match(String(answer.headers['retry-after']), /^[1-9]\d*$/);
  assert.equal(answer.headers['set-cookie'], undefined);
  assert.equal(answer.headers['location'], undefined);
}

async function settle({ status, again }: Operation, attempt: Attempt, injected: Injected): Promise<void> {
  const second = await attempt.send();
  assert.ok([status, again].flat().includes(second.status), `asked again: ${second.status} ${second.text}`);
  await attempt.settle?.(second, injected);
}
