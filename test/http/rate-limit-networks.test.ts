import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { LimitSubject, Taken } from '../../src/domain/limits.ts';
import { networkSourceOf } from '../../src/domain/network-source.ts';
import {
  account,
  accountOf,
  few,
  filling,
  minute,
  neighbour,
  network,
  openLimits,
  shared,
  taken,
  waitOf,
} from './limits.ts';

describe('rate limits of a site (L9)', () => {
  /** How many of its networks may use up a limit. */
  const networks = 16;

  test('2,000 networks of one /48: 16 times the limit is allowed; another site and IPv4 are not affected', async () => {
    const { take } = openLimits();
    let passed = 0;
    for (let index = 0; index < 2_000; index += 1) if ((await take(neighbour(index))) === 0) passed += 1;
    assert.equal(passed, networks * 2);
    assert.equal(await take(network(1)), 0);
    for (let index = 1; index < 2 * networks; index += 1) {
      const beside = { source: networkSourceOf(`192.0.2.${index}`) };
      assert.deepEqual([await take(beside), await take(beside), await take(beside)], [0, 0, 60]);
    }
  });

  test('refused requests of one network do not count against the others of its site', async () => {
    const { take, left } = openLimits();
    for (let index = 0; index < 100 * networks; index += 1) await take(neighbour(1));
    assert.equal(await left(neighbour(2)), 2);
  });

  test("a network's state includes what its site has left, and until when", async () => {
    const { limits, take, left, wait } = openLimits();
    for (let index = 0; index < networks - 1; index += 1) await take(neighbour(index));
    wait(20_000);
    for (let index = 0; index < networks; index += 1) await take(neighbour(index));
    assert.equal(await left(neighbour(500)), 1);
    const { giveBack: _, ...took } = await taken(limits, neighbour(500));
    assert.deepEqual(took, { limit: 2 * networks, remaining: 0, resetSeconds: 40 });
    assert.deepEqual(await limits.state(account, 'sign-in', neighbour(501)), took);
    assert.equal(await take(neighbour(501)), 40);
    wait(40_000);
    assert.equal(await take(neighbour(501)), 0);
  });

  test('a returned count is returned to the site too, and one success does not reset the site', async () => {
    const { limits, left } = openLimits();
    const all: Taken[] = [];
    for (let index = 0; index < 2 * networks; index += 1) all.push(await taken(limits, neighbour(index)));
    assert.equal(await left(neighbour(500)), 0);
    await all[0]?.giveBack();
    assert.equal(await left(neighbour(500)), 1);
    await taken(limits, neighbour(500));
    await limits.reset(account, 'sign-in', neighbour(500));
    assert.equal(await left(neighbour(500)), 0);
  });

  test('requests with one client or credential are counted by site for each client or credential', async () => {
    const { take } = openLimits();
    for (const member of ['client', 'registration', 'credential'] as const) {
      const known = (index: number, id: string) => ({ ...neighbour(index), [member]: id }) as LimitSubject;
      for (let index = 0; index < 2 * networks; index += 1) assert.equal(await take(known(index, 'one')), 0);
      assert.deepEqual([await take(known(500, 'one')), await take(known(500, 'other'))], [60, 0]);
    }
  });

  test('when counters are shared, sites and networks share separately', async () => {
    const { take, flood } = openLimits({ mostKeys: few });
    await flood(filling);
    // Each may have one of 256, and no other subject is counted there.
    assert.equal(await take(network(few)), 0);
    let passed = 0;
    for (let index = 0; index < 100 * shared; index += 1) if ((await take(neighbour(index))) === 0) passed += 1;
    assert.ok(passed === networks * 2 || passed === networks * 2 - 1, String(passed));
  });

  test('a refused site creates no further counters', async () => {
    const { limits } = openLimits();
    for (let index = 0; index < 2_000; index += 1) await waitOf(() => limits.take(account, 'reset', neighbour(index)));
    assert.equal(limits.keptKeys(), 2 * networks + 1);
  });
});

describe('rate limits while strangers fill them (L10)', () => {
  test('120,000 networks: 100,000 counters are kept, the others share 512; known sources keep their counts', async () => {
    const { limits, take, left } = openLimits();
    await take(network(400_000));
    await take(network(400_001));
    await take(network(400_001));
    // Under a limit that refuses none of them: a refusal costs more than everything checked here.
    for (let index = 0; index < 120_000; index += 1) await limits.take(account, 'par', network(index));
    const kept = limits.keptKeys();
    assert.ok(kept >= 100_000 && kept <= 100_000 + 2 * shared, String(kept));
    // Neither refused for what strangers did, nor let off what it did itself.
    assert.deepEqual([await take(network(400_000)), await take(network(400_000))], [0, 60]);
    assert.deepEqual([await left(network(400_001)), await take(network(400_001))], [0, 60]);
    const state = await limits.state(account, 'par', network(49_000));
    assert.equal(state?.remaining, 999_999, 'of the flood, but among the first');
  });

  test('counters are shared only within one limit of one account', async () => {
    const { limits, take, flood } = openLimits({ mostKeys: few });
    await flood(20 * few);
    const subject = network(500_000);
    assert.equal(await take(subject), 60);
    assert.equal(await take(subject, accountOf(2)), 0);
    assert.equal(await waitOf(() => limits.take(account, 'client-auth', subject)), 0);
    assert.equal(await waitOf(() => limits.take(account, 'reset', subject)), 0);
  });

  test('a shared counter can be decremented, but is not reset for one of its subjects', async () => {
    const { limits, left, flood } = openLimits({ mostKeys: few });
    await flood(filling);
    const subject = network(500_000);
    const { giveBack } = await taken(limits, subject);
    await limits.reset(account, 'sign-in', subject);
    assert.equal(await left(subject), 1);
    await giveBack();
    assert.equal(await left(subject), 2);
  });

  test('a shared count is returned to the shared counter, even if the subject has its own by then', async () => {
    for (const ownBefore of [0, 1]) {
      const { limits, take, left, wait, flood } = openLimits({ mostKeys: few });
      await flood(filling / 2);
      wait(minute / 2);
      await flood(filling / 2, few);
      const subject = network(500_000);
      const { giveBack } = await taken(limits, subject);
      wait(minute / 2);
      for (let count = 0; count < ownBefore; count += 1) await take(subject);
      await giveBack();
      await flood(filling / 2 - ownBefore, 2 * few);
      if (ownBefore > 0) assert.equal(await left(subject), 1, 'it keeps the count of its own counter');
      const sharers: number[] = [];
      for (let index = 0; index < 20 * shared; index += 1) sharers.push(await take(network(3 * few + index)));
      assert.equal(sharers.filter((seconds) => seconds === 0).length, 2 * shared, 'all 256 have two spellings');
    }
  });

  test('ended windows make room: nothing stays shared, and counts do not add up', async () => {
    const { limits, take, left, wait, flood } = openLimits({ mostKeys: few });
    await flood(20 * few);
    wait(minute / 2);
    assert.equal(await take(network(500_000)), 30);
    wait(minute / 2);
    assert.deepEqual([await take(network(500_000)), await take(network(500_000))], [0, 0]);
    assert.equal(await left(network(500_001)), 2);
    await flood(filling / 2);
    assert.ok(limits.keptKeys() <= few / 2 + 2 * shared + 2, String(limits.keptKeys()));
  });

  test('a key whose window restarts repeatedly is stored once', async () => {
    const { limits, take, wait } = openLimits({ mostKeys: few });
    for (let round = 0; round < 1_000; round += 1) {
      await take(network(1));
      if (round % 2 === 0) wait(minute);
      else await limits.reset(account, 'sign-in', network(1));
    }
    assert.ok(limits.keptKeys() <= 2);
  });
});
