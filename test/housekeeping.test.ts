import assert from 'node:assert/strict';
import { test } from 'node:test';
import { issueCredentialToken } from '../src/domain/callers/credential-tokens.ts';
import { createCredential } from '../src/domain/callers/credentials.ts';
import { generateKeyPair } from '../src/domain/keys/key-pairs.ts';
import { listKeys } from '../src/domain/keys/signing-keys.ts';
import { startHousekeeping } from '../src/housekeeping.ts';
import { onServices } from './domain/subject.ts';
import { day } from './store/samples.ts';
import { createTestAccount, testClock, testServices } from './support/services.ts';

/** Waits until the condition holds; the test's time limit ends a wait in vain. */
async function until(condition: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 10));
}

onServices('housekeeping', (subject) => {
  test('publishes keys that are due, removes retired ones and expired rows', { timeout: 60_000 }, async () => {
    const services = await testServices(subject.services.store, { clock: testClock(), generateKeyPair });
    const account = await createTestAccount(services);
    const { clientId } = await createCredential(services, account, ['read_all']);
    const credential = await services.store.callers.findCredential(account.id, clientId);
    assert.ok(credential);
    await issueCredentialToken(services, account, credential);
    const before = (await listKeys(services, account)).map(({ kid }) => kid);
    const housekeeping = startHousekeeping(services, 10, () => services.clock.now());
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

  test('deletes nothing for an hour after the clock jumped ahead (D8)', { timeout: 60_000 }, async () => {
    let rounds = 0;
    let elapsed = 0;
    const { store } = subject.services;
    const purge = async () => {
      rounds += 1;
      return 0;
    };
    const asked = { count: 0 };
    const monotonic = () => {
      asked.count += 1;
      return elapsed;
    };
    const services = await testServices(store, { clock: testClock(), store: { ...store, purge } });
    const housekeeping = startHousekeeping(services, 5, monotonic);
    const rest = async () => {
      const from = asked.count;
      await until(() => asked.count > from + 6);
    };
    try {
      await until(() => rounds > 0);
      services.clock.advance(day);
      await rest();
      const before = rounds;
      elapsed += 3_500_000;
      services.clock.advance(3_500_000);
      await rest();
      assert.equal(rounds, before);
      services.clock.advance(-day);
      await until(() => rounds > before);
      services.clock.advance(day);
      await rest();
      elapsed += 3_700_000;
      services.clock.advance(3_700_000);
      const trusted = rounds;
      await until(() => rounds > trusted);
    } finally {
      await housekeeping.stop();
    }
    assert.equal(services.lines.filter(({ event }) => event === 'clock jumped ahead').length, 2);
  });

  test('waits for nobody who is told something', { timeout: 60_000 }, async () => {
    let rounds = 0;
    const { store } = subject.services;
    const purge = async () => {
      rounds += 1;
      return 0;
    };
    let woken = 0;
    const silent = {
      run: () => new Promise<void>(() => {}),
      wake: () => {
        woken += 1;
      },
    };
    const workers = { logoutNotices: silent, changeNotices: silent, resetMails: silent };
    const services = await testServices(store, { store: { ...store, purge } });
    const housekeeping = startHousekeeping({ ...services, ...workers }, 5);
    await until(() => rounds >= 3);
    await housekeeping.stop();
    assert.ok(woken >= 9, `${woken}`);
  });

  test('goes on after a failure, and stops for good', { timeout: 60_000 }, async () => {
    let rounds = 0;
    const { store } = subject.services;
    const purge = async () => {
      rounds += 1;
      throw new Error('the disk is full');
    };
    const services = await testServices(subject.services.store, { store: { ...store, purge } });
    const housekeeping = startHousekeeping(services, 5);
    await until(() => rounds >= 3);
    await housekeeping.stop();
    const stopped = rounds;
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(rounds, stopped);
    const [line] = services.lines;
    assert.equal(line?.['event'], 'housekeeping failed');
    assert.match(String(line?.['stack']), /the disk is full/);
  });
});
