import assert from 'node:assert/strict';
import { test } from 'node:test';
import { issueCredentialToken } from '../src/domain/callers/credential-tokens.ts';
import { createCredential } from '../src/domain/callers/credentials.ts';
import type { PurgeReport } from '../src/domain/expired-rows.ts';
import { generateKeyPair } from '../src/domain/keys/key-pairs.ts';
import { listKeys } from '../src/domain/keys/signing-keys.ts';
import { startHousekeeping } from '../src/housekeeping.ts';
import { createTending, type RoundReport } from '../src/housekeeping-round.ts';
import type { Store } from '../src/store/store.ts';
import { onServices } from './domain/subject.ts';
import { day } from './store/samples.ts';
import { createTestAccount, testClock, testServices } from './support/services.ts';
import { until } from './support/until.ts';

const silent: PurgeReport = { deleted: () => {}, overdue: () => {} };
const unheard: RoundReport = { keys: () => {}, unverified: () => {}, messages: () => {} };

/** In place of the rests: the event loop goes round once. */
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

onServices('housekeeping', (subject) => {
  test('publishes due keys, removes retired keys and expired rows', async () => {
    const services = await testServices(subject.services.store, { clock: testClock(), generateKeyPair });
    const account = await createTestAccount(services);
    const { clientId } = await createCredential(services, account, ['read_all']);
    const credential = await services.store.callers.findCredential(account.id, clientId);
    assert.ok(credential);
    await issueCredentialToken(services, account, credential);
    const before = (await listKeys(services, account)).map(({ kid }) => kid);
    const housekeeping = startHousekeeping(services, {
      report: silent,
      roundReport: unheard,
      everyMilliseconds: 10,
      monotonic: () => services.clock.now(),
      rest: nextTurn,
    });
    try {
      services.clock.advance(89 * day);
      await until(async () => (await listKeys(services, account)).length === 4);
      services.clock.advance(3 * day);
      await until(async () => (await listKeys(services, account)).length === 2);
    } finally {
      await housekeeping.stop();
    }
    assert.ok((await listKeys(services, account)).every(({ kid }) => !before.includes(kid)));
    assert.equal(await services.store.callers.findToken(account.id, 1), null);
    const events = services.lines.map(({ event }) => event);
    for (const event of ['next signing keys published', 'retired signing keys removed', 'expired rows deleted']) {
      assert.ok(events.includes(event), event);
    }
  });

  test('goes on with other accounts when the keys of one cannot be rotated', async () => {
    let fails = false;
    const pair: typeof generateKeyPair = (...of) => {
      const made = fails ? Promise.reject(new Error('no entropy')) : generateKeyPair(...of);
      fails = false;
      return made;
    };
    const services = await testServices(subject.services.store, { clock: testClock(), generateKeyPair: pair });
    const [one, other] = [await createTestAccount(services), await createTestAccount(services)];
    services.clock.advance(89 * day);
    fails = true;
    await createTending(services, unheard)([one, other]);
    const failures = services.lines.filter(({ event }) => event === 'housekeeping failed');
    assert.deepEqual(
      failures.map(({ account }) => account),
      [one.subdomain],
    );
    assert.match(String(failures[0]?.['stack']), /no entropy/);
    const numbers = [await listKeys(services, one), await listKeys(services, other)].map(({ length }) => length);
    assert.deepEqual(numbers, [2, 4]);
  });

  test('deletes nothing for an hour after the clock jumped ahead (D8)', async () => {
    let looks = 0;
    let asked = 0;
    let elapsed = 0;
    const { store } = subject.services;
    const findOverdue = async () => {
      looks += 1;
      return new Map();
    };
    const monotonic = () => {
      asked += 1;
      return elapsed;
    };
    const services = await testServices(store, { clock: testClock(), store: { ...store, findOverdue } });
    const housekeeping = startHousekeeping(services, {
      report: silent,
      roundReport: unheard,
      everyMilliseconds: 5,
      monotonic,
      rest: nextTurn,
    });
    const jumps = () => services.lines.filter(({ event }) => event === 'clock jumped ahead').length;
    const rest = async () => {
      const from = asked;
      await until(() => asked > from + 20);
    };
    try {
      await until(() => looks > 0);
      services.clock.advance(day);
      // Whoever indexes asks for the time as well, so that no number of asks says that a deletion has.
      await until(() => jumps() === 1);
      await rest();
      const before = looks;
      elapsed += 3_500_000;
      services.clock.advance(3_500_000);
      await rest();
      assert.equal(looks, before);
      services.clock.advance(-day);
      await until(() => looks > before);
      services.clock.advance(day);
      await until(() => jumps() === 2);
      elapsed += 3_700_000;
      services.clock.advance(3_700_000);
      const trusted = looks;
      await until(() => looks > trusted);
    } finally {
      await housekeeping.stop();
    }
    assert.equal(jumps(), 2);
  });

  test('does not wait for notices or deletions', async () => {
    const { store } = subject.services;
    let woken = 0;
    const neverDone = {
      run: () => new Promise<void>(() => {}),
      wake: () => {
        woken += 1;
      },
    };
    const deleting = Promise.withResolvers<Awaited<ReturnType<Store['findOverdue']>>>();
    const findOverdue = () => deleting.promise;
    const workers = { logoutNotices: neverDone, changeNotices: neverDone, resetMails: neverDone };
    const services = await testServices(store, { store: { ...store, findOverdue } });
    const housekeeping = startHousekeeping(
      { ...services, ...workers },
      { report: silent, roundReport: unheard, everyMilliseconds: 5 },
    );
    await until(() => woken >= 9);
    deleting.resolve(new Map());
    await housekeeping.stop();
  });

  test('continues after a failure, and stops for good', async () => {
    let looks = 0;
    const { store } = subject.services;
    const findOverdue = async () => {
      looks += 1;
      throw new Error('the disk is full');
    };
    const services = await testServices(store, { store: { ...store, findOverdue } });
    const housekeeping = startHousekeeping(services, {
      report: silent,
      roundReport: unheard,
      everyMilliseconds: 5,
      rest: nextTurn,
    });
    await until(() => looks >= 3);
    await housekeeping.stop();
    const stopped = looks;
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(looks, stopped);
    const [line] = services.lines;
    assert.equal(line?.['event'], 'housekeeping failed');
    assert.match(String(line?.['stack']), /the disk is full/);
  });

  test('a stop ends the rest between two slices', async () => {
    const resting = Promise.withResolvers<void>();
    const rest = (_: number, signal: AbortSignal) => {
      resting.resolve();
      return new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    };
    const housekeeping = startHousekeeping(subject.services, { report: silent, roundReport: unheard, rest });
    await resting.promise;
    await housekeeping.stop();
  });
});
