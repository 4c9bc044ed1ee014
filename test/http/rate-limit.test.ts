import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Account } from '../../src/domain/accounts/account.ts';
import { Failure } from '../../src/domain/failure.ts';
import type { LimitSubject, Limits, Taken } from '../../src/domain/limits.ts';
import { networkSourceOf } from '../../src/domain/network-source.ts';
import { createLimits, type LimitOptions } from '../../src/http/rate-limit.ts';

const minute = 60_000;
/** Where a test does not need the real number. */
const few = 1_000;
/** Networks that fill so many places: each has one, and its site another. */
const filling = few / 2;
const shared = 256;

function accountOf(id: number): Account {
  const limit = { points: 2, windowSeconds: 60 };
  const roomy = { points: 1_000_000, windowSeconds: 60 };
  return {
    id,
    settings: { limits: { 'sign-in': limit, 'client-auth': limit, reset: limit, par: roomy } },
  } as unknown as Account;
}

const account = accountOf(1);

/** One network for each number, each at a site of its own. */
function network(index: number): LimitSubject {
  return { source: networkSourceOf(`2400:${(index >> 16).toString(16)}:${(index & 0xffff).toString(16)}:1::1`) };
}

/** Networks of one site. */
function neighbour(index: number): LimitSubject {
  return { source: networkSourceOf(`2001:db8:1:${index.toString(16)}::1`) };
}

/** Seconds that a refusal says to wait; 0 when there is none. */
async function waitOf(take: () => Promise<unknown>): Promise<number> {
  try {
    await take();
    return 0;
  } catch (error) {
    assert.ok(error instanceof Failure && error.code === 'rate_limited');
    return error.detail.retryAfterSeconds ?? 0;
  }
}

/** What one of a subject's calls took. */
async function taken(limits: Limits, subject: LimitSubject): Promise<Taken> {
  return (await limits.take(account, 'sign-in', subject)) ?? assert.fail('the limit is off');
}

/** Limits with a clock of their own, which the test moves. */
function open(options: LimitOptions = {}) {
  let time = 5 * minute;
  const limits = createLimits({ ...options, elapsed: () => time });
  const take = (subject: LimitSubject, whose = account) => waitOf(() => limits.take(whose, 'sign-in', subject));
  const left = async (subject: LimitSubject) => (await limits.state(account, 'sign-in', subject))?.remaining;
  const wait = (milliseconds: number) => {
    time += milliseconds;
  };
  /** Counts one for each of so many networks, beginning with number `first`. */
  async function flood(count: number, first = 0, whose = account): Promise<void> {
    for (let index = first; index < first + count; index += 1) await take(network(index), whose);
  }
  return { limits, take, left, wait, flood };
}

describe('rate limits', () => {
  for (const jump of [60 * minute, -5 * minute, -60 * minute]) {
    test(`the clock is moved by ${jump / minute} minutes: no wait longer than the window, and it ends with the window (D8)`, async (t) => {
      let time = Date.UTC(2027, 0, 1);
      t.mock.method(Date, 'now', () => time);
      const { limits, take, wait } = open();
      while ((await take(network(1))) === 0);
      time += jump;
      const seconds = await take(network(1));
      assert.ok(seconds > 0 && seconds <= 60, `${seconds} s`);
      const state = await limits.state(account, 'sign-in', network(1));
      assert.ok(state && state.resetSeconds >= 0 && state.resetSeconds <= 60);
      wait(minute);
      assert.equal(await take(network(1)), 0);
    });
  }

  test('says no longer wait than the window, whatever fraction of a millisecond it begins in', async () => {
    // The sum of this and a minute, less this, is more than a minute.
    const limits = createLimits({ elapsed: () => 86_241.5444 });
    assert.equal((await limits.take(account, 'sign-in', network(1)))?.resetSeconds, 60);
  });

  test('by the clock of the process, too, a window lasts', async () => {
    const limits = createLimits();
    const { giveBack: _, ...state } = await taken(limits, network(1));
    assert.deepEqual(state, { limit: 2, remaining: 1, resetSeconds: 60 });
  });

  test('says what is left and until when; a window begins with the first count and does not move', async () => {
    const { limits, wait } = open();
    const state = () => limits.state(account, 'sign-in', network(1));
    assert.deepEqual(await state(), { limit: 2, remaining: 2, resetSeconds: 60 });
    wait(minute);
    const { giveBack: _, ...took } = await taken(limits, network(1));
    assert.deepEqual(took, { limit: 2, remaining: 1, resetSeconds: 60 });
    wait(20_500);
    await limits.take(account, 'sign-in', network(1));
    assert.deepEqual(await state(), { limit: 2, remaining: 0, resetSeconds: 40 });
    assert.equal(await waitOf(() => limits.take(account, 'sign-in', network(1))), 40);
    wait(39_400);
    assert.equal(await waitOf(() => limits.take(account, 'sign-in', network(1))), 1);
    wait(100);
    assert.deepEqual(await state(), { limit: 2, remaining: 2, resetSeconds: 60 });
  });

  test('what is given back can be taken again; what ended cannot be given back', async () => {
    const { limits, take, left, wait } = open();
    await take(network(1));
    const { giveBack } = await taken(limits, network(1));
    await giveBack();
    const late = await taken(limits, network(1));
    assert.equal(await take(network(1)), 60);
    wait(minute);
    // In the place that the first had.
    await take(network(2));
    await late.giveBack();
    assert.deepEqual([await left(network(1)), await left(network(2))], [2, 1]);
    await limits.reset(account, 'sign-in', network(1));
    await take(network(1));
    await limits.reset(account, 'sign-in', network(1));
    assert.equal(await left(network(1)), 2);
  });

  test('accounts, limits and subjects do not mix', async () => {
    const { limits, take } = open();
    const source = networkSourceOf('192.0.2.1');
    const subjects: LimitSubject[] = [
      {},
      { source },
      { source, client: 'a' },
      { source, registration: 'a' },
      { source, credential: 'a' },
      { credential: 'a' },
      { apiKey: 1 },
      { user: 1 },
    ];
    for (const subject of subjects) {
      for (const whose of [account, accountOf(2)]) {
        assert.deepEqual(
          [await take(subject, whose), await take(subject, whose), await take(subject, whose)],
          [0, 0, 60],
        );
      }
      assert.equal((await limits.state(account, 'client-auth', subject))?.remaining, 2);
    }
  });
});

describe('rate limits of a site (L9)', () => {
  /** So many of its networks may use a limit up. */
  const networks = 16;

  test('2,000 networks of one /48: 16 times the limit is allowed; another site and IPv4 are not affected', async () => {
    const { take } = open();
    let passed = 0;
    for (let index = 0; index < 2_000; index += 1) if ((await take(neighbour(index))) === 0) passed += 1;
    assert.equal(passed, networks * 2);
    assert.equal(await take(network(1)), 0);
    for (let index = 1; index < 2 * networks; index += 1) {
      const beside = { source: networkSourceOf(`192.0.2.${index}`) };
      assert.deepEqual([await take(beside), await take(beside), await take(beside)], [0, 0, 60]);
    }
  });

  test('what is refused of one network takes nothing from the others of its site', async () => {
    const { take, left } = open();
    for (let index = 0; index < 100 * networks; index += 1) await take(neighbour(1));
    assert.equal(await left(neighbour(2)), 2);
  });

  test('a network learns what its site has left, and until when', async () => {
    const { limits, take, left, wait } = open();
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

  test('what is given back is given back to the site, and one success forgives it nothing', async () => {
    const { limits, left } = open();
    const all: Taken[] = [];
    for (let index = 0; index < 2 * networks; index += 1) all.push(await taken(limits, neighbour(index)));
    assert.equal(await left(neighbour(500)), 0);
    await all[0]?.giveBack();
    assert.equal(await left(neighbour(500)), 1);
    await taken(limits, neighbour(500));
    await limits.reset(account, 'sign-in', neighbour(500));
    assert.equal(await left(neighbour(500)), 0);
  });

  test('what networks do with one client or credential is counted by site, for each of those', async () => {
    const { take } = open();
    for (const member of ['client', 'registration', 'credential'] as const) {
      const known = (index: number, id: string) => ({ ...neighbour(index), [member]: id }) as LimitSubject;
      for (let index = 0; index < 2 * networks; index += 1) assert.equal(await take(known(index, 'one')), 0);
      assert.deepEqual([await take(known(500, 'one')), await take(known(500, 'other'))], [60, 0]);
    }
  });

  test('when counters are shared, sites share theirs, and networks theirs', async () => {
    const { take, flood } = open({ mostKeys: few });
    await flood(filling);
    // Each may have one of 256, and no other subject is counted there.
    assert.equal(await take(network(few)), 0);
    let passed = 0;
    for (let index = 0; index < 100 * shared; index += 1) if ((await take(neighbour(index))) === 0) passed += 1;
    assert.ok(passed === networks * 2 || passed === networks * 2 - 1, String(passed));
  });

  test('a site that is refused makes no further counters', async () => {
    const { limits } = open();
    for (let index = 0; index < 2_000; index += 1) await waitOf(() => limits.take(account, 'reset', neighbour(index)));
    assert.equal(limits.keptKeys(), 2 * networks + 1);
  });
});

describe('rate limits while strangers fill them (L10)', () => {
  test('300,000 networks: 100,000 counters are kept, the others share 512; the known keep what was counted', async () => {
    const { limits, take, left } = open();
    await take(network(400_000));
    await take(network(400_001));
    await take(network(400_001));
    // Under a limit that refuses none of them: a refusal costs more than all that is looked at here.
    for (let index = 0; index < 300_000; index += 1) await limits.take(account, 'par', network(index));
    const kept = limits.keptKeys();
    assert.ok(kept >= 100_000 && kept <= 100_000 + 2 * shared, String(kept));
    // Neither refused for what strangers did, nor let off what it did itself.
    assert.deepEqual([await take(network(400_000)), await take(network(400_000))], [0, 60]);
    assert.deepEqual([await left(network(400_001)), await take(network(400_001))], [0, 60]);
    const state = await limits.state(account, 'par', network(49_000));
    assert.equal(state?.remaining, 999_999, 'of the flood, but early');
  });

  test('what is shared is shared within one limit of one account', async () => {
    const { limits, take, flood } = open({ mostKeys: few });
    await flood(20 * few);
    const subject = network(500_000);
    assert.equal(await take(subject), 60);
    assert.equal(await take(subject, accountOf(2)), 0);
    assert.equal(await waitOf(() => limits.take(account, 'client-auth', subject)), 0);
    assert.equal(await waitOf(() => limits.take(account, 'reset', subject)), 0);
  });

  test('a shared counter can be decremented, and is not reset for one of those who share it', async () => {
    const { limits, left, flood } = open({ mostKeys: few });
    await flood(filling);
    const subject = network(500_000);
    const { giveBack } = await taken(limits, subject);
    await limits.reset(account, 'sign-in', subject);
    assert.equal(await left(subject), 1);
    await giveBack();
    assert.equal(await left(subject), 2);
  });

  test('what a shared counter counted is given back to it, when there is room again or a counter of its own', async () => {
    for (const ownBefore of [0, 1]) {
      const { limits, take, left, wait, flood } = open({ mostKeys: few });
      await flood(filling / 2);
      wait(minute / 2);
      await flood(filling / 2, few);
      const subject = network(500_000);
      const { giveBack } = await taken(limits, subject);
      wait(minute / 2);
      for (let count = 0; count < ownBefore; count += 1) await take(subject);
      await giveBack();
      await flood(filling / 2 - ownBefore, 2 * few);
      if (ownBefore > 0) assert.equal(await left(subject), 1, 'it keeps what its own counted');
      const sharers: number[] = [];
      for (let index = 0; index < 20 * shared; index += 1) sharers.push(await take(network(3 * few + index)));
      assert.equal(sharers.filter((seconds) => seconds === 0).length, 2 * shared, 'all 256 have two');
    }
  });

  test('ended windows make room: nothing is shared after them, and they do not add up', async () => {
    const { limits, take, left, wait, flood } = open({ mostKeys: few });
    await flood(20 * few);
    wait(minute / 2);
    assert.equal(await take(network(500_000)), 30);
    wait(minute / 2);
    assert.deepEqual([await take(network(500_000)), await take(network(500_000))], [0, 0]);
    assert.equal(await left(network(500_001)), 2);
    await flood(filling / 2);
    assert.ok(limits.keptKeys() <= few / 2 + 2 * shared + 2, String(limits.keptKeys()));
  });

  test('a key that begins again and again stands once', async () => {
    const { limits, take, wait } = open({ mostKeys: few });
    for (let round = 0; round < 1_000; round += 1) {
      await take(network(1));
      if (round % 2 === 0) wait(minute);
      else await limits.reset(account, 'sign-in', network(1));
    }
    assert.ok(limits.keptKeys() <= 2);
  });
});
