import assert from 'node:assert/strict';
import { describe, mock, test } from 'node:test';
import type { Account } from '../../src/domain/accounts/account.ts';
import { Failure } from '../../src/domain/failure.ts';
import { createLimits } from '../../src/http/rate-limit.ts';

const minute = 60_000;
const account = { id: 1, settings: { limits: { 'sign-in': { points: 2, windowSeconds: 60 } } } } as unknown as Account;

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

describe('rate limits while the clock is moved (D8)', () => {
  for (const jump of [60 * minute, -5 * minute, -60 * minute]) {
    test(`${jump / minute} minutes: no wait longer than the window, and it ends with the window`, async (t) => {
      // Timers run by a clock of their own, which nobody moves.
      mock.timers.enable({ apis: ['setTimeout'] });
      t.after(() => mock.timers.reset());
      let time = Date.UTC(2027, 0, 1);
      t.mock.method(Date, 'now', () => time);
      const limits = createLimits();
      const take = () => limits.take(account, 'sign-in', 'key');
      while ((await waitOf(take)) === 0);
      time += jump;
      const wait = await waitOf(take);
      assert.ok(wait >= 0 && wait <= 60, `${wait} s`);
      const state = await limits.state(account, 'sign-in', 'key');
      assert.ok(state && state.resetSeconds >= 0 && state.resetSeconds <= 60);
      mock.timers.tick(minute);
      time += minute;
      assert.equal(await waitOf(take), 0);
    });
  }
});
