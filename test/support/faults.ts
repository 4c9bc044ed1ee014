/** An application whose store fails when the test says so, and the cases about faults that every surface must pass. */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createApp } from '../../src/app.ts';
import { Failure } from '../../src/domain/failure.ts';
import type { Store, StoreVerbs } from '../../src/store/store.ts';
import { type Sent, seenFrom, type TestApp } from './app.ts';
import type { Answer } from './conforms.ts';
import { type Probe, probesOf } from './probes.ts';
import { sampledDatabases } from './sample.ts';
import { createTestAccount, testServices } from './services.ts';
import { type DatabaseKind, openTestStore } from './stores.ts';

/**
 * What to throw instead of asking the store, or once the store did what it was asked; `verb` is written `clients.find`,
 * and `transaction` for its begin or its end.
 */
export type FaultOf = (verb: string) => Error | { readonly afterwards: Error } | null;

export interface FaultyApp extends TestApp {
  /** Sets what the store throws from now on; null ends it. */
  fail(faultOf: FaultOf | null): void;
}

/** The store, with every verb asking first whether it fails. */
export function faultyStore(store: Store, faultOf: FaultOf): Store {
  function wrapped<Verbs extends StoreVerbs>(verbs: Verbs): Verbs {
    return new Proxy(verbs, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name, target);
        if (name === 'transaction') return transaction;
        // Asks the pools of this process, not the database.
        if (typeof member === 'function' && name === 'connections') return member.bind(target);
        if (typeof member === 'function') return throwing(String(name), member.bind(target));
        return typeof member === 'object' && member !== null ? group(String(name), member) : member;
      },
    });
  }
  function group(name: string, verbs: object): object {
    return new Proxy(verbs, {
      get(target, verb) {
        const member: unknown = Reflect.get(target, verb, target);
        return typeof member === 'function' ? throwing(`${name}.${String(verb)}`, member.bind(target)) : member;
      },
    });
  }
  function throwing(verb: string, ask: (...given: unknown[]) => unknown) {
    return async (...given: unknown[]) => {
      return around(verb, async () => ask(...given));
    };
  }
  async function around<T>(verb: string, ask: () => Promise<T>): Promise<T> {
    const fault = faultOf(verb);
    if (fault instanceof Error) throw fault;
    const answer = await ask();
    if (fault) throw fault.afterwards;
    return answer;
  }
  function transaction<T>(work: (tx: StoreVerbs) => Promise<T>): Promise<T> {
    return around('transaction', () => store.transaction((tx) => work(wrapped(tx))));
  }
  return wrapped(store);
}

/** The application over a store that works until `fail` is called. */
export async function openFaultyApp(
  kind: DatabaseKind,
  { settings = {} }: { settings?: Readonly<Record<string, string>> } = {},
): Promise<FaultyApp> {
  let current: FaultOf | null = null;
  const opened = await openTestStore(kind);
  const services = await testServices(faultyStore(opened.store, (verb) => current?.(verb) ?? null));
  const account = await createTestAccount(services, { settings });
  const dispose = async () => {
    await services.hooks.close();
    await opened.dispose();
  };
  return {
    ...seenFrom(account, createApp(services), services, { url: opened.url, dispose }),
    fail: (faultOf) => {
      current = faultOf;
    },
  };
}

/** Verbs that find the account of a request. */
export function findsAccount(verb: string): boolean {
  return verb.startsWith('accounts.find');
}

/** Asserts an error in the form that belongs to the surface, with nothing else in it. */
export function assertOwnForm(surface: string, probe: Pick<Probe, 'operationId'> | null, answer: Answer): void {
  const where = `${surface} ${probe?.operationId ?? ''} ${answer.status} ${answer.text.slice(0, 300)}`;
  const type = String(answer.headers['content-type']);
  assert.ok(answer.status >= 400, where);
  assert.equal(answer.headers['cache-control'], 'no-store', where);
  if (surface === 'pages' || /^(requestAuthorization|endSession)/.test(probe?.operationId ?? '')) {
    assert.match(type, /^text\/html; charset=utf-8$/, where);
    assert.match(answer.text, /<h1\b/, where);
    assert.ok(answer.text.includes(String(answer.headers['x-request-id'])), `${where}: no reference`);
    return;
  }
  if (surface === 'api-v1') {
    assert.equal(type, 'application/xml', where);
    assert.match(answer.text, /^<error><message>[^<]+<\/message><code>[a-z_]+<\/code><\/error>$/, where);
    return;
  }
  if (surface === 'xml') {
    assert.equal(type, 'application/xml; charset=utf-8', where);
    assert.match(answer.text, /^<\?xml [^\n]+\n<errors>\n {2}<error>[^<]+<\/error>\n<\/errors>$/, where);
    return;
  }
  if (surface === 'api-v3' && type === 'application/xml') {
    assert.match(answer.text, /^<error><message>.*<\/code><\/error>$/, where);
    return;
  }
  assert.match(type, /^application\/json; charset=utf-8$/, where);
  if (surface === 'api-v3' || (surface === 'api-1' && answer.status === 400)) {
    const { type: kind, message, error, code } = answer.body.status;
    assert.deepEqual([typeof kind, typeof message, error, code], ['string', 'string', true, answer.status], where);
  } else if (surface === 'auth-2') {
    const { status, ...rest } = answer.body;
    assert.deepEqual([status.error, status.code, rest], [true, answer.status, {}], where);
    assert.deepEqual([typeof status.type, typeof status.message], ['string', 'string'], where);
  } else if (surface === 'api-2' || surface === 'api-1') {
    const { statusCode, name, message, ...rest } = answer.body;
    assert.deepEqual([statusCode, typeof name, typeof message, rest], [answer.status, 'string', 'string', {}], where);
  } else {
    const { error, error_description: description, ...rest } = answer.body;
    assert.deepEqual([typeof error, typeof description, rest], ['string', 'string', {}], where);
  }
}

/** Bodies over the limit by media type. */
const oversized: Readonly<Record<string, string>> = {
  'application/json': JSON.stringify({ x: 'a'.repeat(65_536) }),
  'application/x-www-form-urlencoded': `x=${'a'.repeat(16_384)}`,
  'application/xml': `<user>${' '.repeat(131_072)}</user>`,
};

/** Operations that answer from the contract and the account alone, or to a browser without cookies. */
const storeless = ['readOpenIdConfiguration', 'readAuthorizationServerMetadata', 'readAsset', 'showSignedIn'];
/** They read what is sealed in their request first, which no example can be. */
storeless.push('showSignOut', 'signOut', 'showSignedOut');
// The form's token is checked before the store, too.
storeless.push('showForgotPassword', 'askForReset', 'showResetSent');
storeless.push('showDevice', 'enterUserCode', 'showDeviceDone');
storeless.push('findPasswordPage', 'readFavicon', 'readRobots');
const canary = 'canary-5b1e table "users" at 10.1.2.3';

/**
 * Declares that every operation of the surface answers an unknown host, a body over the limit, an unexpected error and
 * an unreachable store with the documented status in the surface's own form. Opens an application of its own. Where
 * callers are looked up before anything else, `callerOf` says how one of them shows who it is.
 */
export function declareFaultCases(
  surface: string,
  kind: DatabaseKind,
  callerOf: (app: TestApp) => Promise<Readonly<Record<string, string>>> = async () => ({}),
): void {
  // What fails here fails before a database is asked.
  if (!sampledDatabases.includes(kind)) return;
  describe(`faults of ${surface} on ${kind}`, () => {
    let app: FaultyApp;
    let caller: Readonly<Record<string, string>>;
    before(async () => {
      app = await openFaultyApp(kind);
      caller = await callerOf(app);
    });
    const asCaller = (sent: Sent): Sent => ({ ...sent, headers: { ...sent.headers, ...caller } });
    after(() => app.dispose());

    async function answersOf(probe: Probe, faultOf: FaultOf): Promise<Answer> {
      app.fail(faultOf);
      try {
        return await app.send(probe.method, probe.path, asCaller(probe.sent));
      } finally {
        app.fail(null);
      }
    }

    for (const probe of probesOf(surface)) {
      const { operationId, method, path, sent, mediaTypes } = probe;

      it(`${operationId}: 404 on the host of no account`, async () => {
        const answer = await app.send(method, path, { ...sent, host: 'nobody.gatehouse.example' });
        assert.equal(answer.status, 404);
        assertOwnForm(surface, probe, answer);
      });

      // Delegated authentication answers with any parameters.
      if (method === 'GET' && surface !== 'api-v1') {
        it(`${operationId}: 400 for a repeated parameter`, async () => {
          const answer = await app.send(
            method,
            `${path}${path.includes('?') ? '&' : '?'}twice=1&twice=2`,
            asCaller(sent),
          );
          assert.equal(answer.status, 400);
          assertOwnForm(surface, probe, answer);
        });
      }

      for (const mediaType of mediaTypes) {
        it(`${operationId}: 413 for a body of ${mediaType} over the limit`, async () => {
          const headers = { ...sent.headers, ...caller, 'content-type': mediaType };
          const answer = await app.send(method, path, { headers, raw: oversized[mediaType] ?? '' });
          assert.equal(answer.status, 413);
          assertOwnForm(surface, probe, answer);
        });
      }

      it(`${operationId}: 500 for an unexpected error, with its details only in the log`, async () => {
        const faults: FaultOf[] = [() => new Error(canary)];
        // After the account is found: the error comes from the operation's own call.
        if (!storeless.includes(operationId)) faults.push((verb) => (findsAccount(verb) ? null : new Error(canary)));
        for (const fault of faults) {
          const answer = await answersOf(probe, fault);
          assert.equal(answer.status, 500);
          assertOwnForm(surface, probe, answer);
          // The successor that a deprecated surface names is not part of the error.
          const { link: _, ...headers } = answer.headers;
          assert.doesNotMatch(answer.text + JSON.stringify(headers), /canary|users|10\.1\.2\.3|\.ts\b|node_modules/);
          const requestId = answer.headers['x-request-id'];
          const logged = app.services.lines.filter((line) => line['requestId'] === requestId);
          assert.ok(
            logged.some(({ stack }) => String(stack).includes(canary)),
            `not logged: ${JSON.stringify(logged)}`,
          );
        }
      });

      it(`${operationId}: 503 with Retry-After when the store is unreachable`, async () => {
        const faults: FaultOf[] = [() => new Failure('unavailable')];
        if (!storeless.includes(operationId)) {
          faults.push((verb) => (findsAccount(verb) ? null : new Failure('unavailable', { retryAfterSeconds: 7 })));
        }
        for (const fault of faults) {
          const answer = await answersOf(probe, fault);
          assert.equal(answer.status, 503);
          assertOwnForm(surface, probe, answer);
          assert.match(String(answer.headers['retry-after']), /^[1-9]\d*$/);
        }
      });
    }
  });
}
