import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { LimitSubject } from '../../src/domain/limits.ts';
import { networkSourceOf } from '../../src/domain/network-source.ts';
import { createLimits } from '../../src/http/rate-limit.ts';
import { account, accountOf, minute, network, openLimits, taken, waitOf } from './limits.ts';

describe('rate limits', () => {
  for (const jump of [60 * minute, -5 * minute, -60 * minute]) {
    test(`the clock moves by ${jump / minute} minutes: no wait exceeds the window, and it ends with the window (D8)`, async (t) => {
      let time = Date.UTC(2027, 0, 1);
      t.mock.method(Date, 'now', () => time);
      const { limits, take, wait } = openLimits();
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

  test('reports no wait longer than the window, whatever fraction of a millisecond it starts at', async () => {
    // The sum of this and a minute, less this, is more than a minute.
    const limits = createLimits({ elapsed: () => 86_241.5444 });
    assert.equal((await limits.take(account, 'sign-in', network(1)))?.resetSeconds, 60);
  });

  test("a window lasts by the process's own clock, too", async () => {
    const limits = createLimits();
    const { giveBack: _, ...state } = await taken(limits, network(1));
    assert.deepEqual(state, { limit: 2, remaining: 1, resetSeconds: 60 });
  });

  test('reports what is left and until when; a window starts with the first count and does not move', async () => {
    const { limits, wait } = openLimits();
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

  test('a returned count can be taken again; one of an ended window cannot be returned', async () => {
    const { limits, take, left, wait } = openLimits();
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

  test('all credentials of an account have four times a limit, and so have its keys; others are not concerned', async () => {
    for (const subjectOf of [(id: number) => ({ credential: `${id}` }), (id: number) => ({ apiKey: id })]) {
      const { limits, take, left, wait } = openLimits();
      for (const id of [1, 2, 3, 4]) {
        assert.deepEqual([await take(subjectOf(id)), await left(subjectOf(id))], [0, 1]);
        assert.equal((await limits.state(account, 'sign-in', subjectOf(id)))?.limit, 2, 'what is said is of its own');
      }
      wait(10_000);
      for (const id of [1, 2, 3]) assert.equal(await take(subjectOf(id)), 0);
      assert.deepEqual([await left(subjectOf(1)), await left(subjectOf(4)), await left(subjectOf(5))], [0, 1, 2]);
      const { giveBack, ...last } = await taken(limits, subjectOf(5));
      assert.deepEqual(last, { limit: 8, remaining: 0, resetSeconds: 50 }, 'nothing is left of the account');
      assert.equal(await take(subjectOf(4)), 50);
      assert.deepEqual(await limits.state(account, 'sign-in', subjectOf(6)), {
        limit: 8,
        remaining: 0,
        resetSeconds: 50,
      });
      const source = networkSourceOf('192.0.2.1');
      for (const other of [{ user: 1 }, { source, credential: '7' }]) assert.equal(await take(other), 0);
      assert.equal(await take(subjectOf(7), accountOf(2)), 0);
      await giveBack();
      assert.equal(await take(subjectOf(4)), 0);
      wait(minute);
      assert.equal(await take(subjectOf(1)), 0);
    }
  });

  test('accounts, limits and subjects do not mix', async () => {
    const { limits, take } = openLimits();
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
