import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTrustedTime } from '../../src/domain/trusted-time.ts';
import type { Log } from '../../src/services.ts';

const minute = 60_000;
const hour = 60 * minute;

function clocks() {
  const time = { clock: 1_000_000_000_000, elapsed: 0 };
  const warnings: string[] = [];
  const warn = (event: string) => void warnings.push(event);
  const log: Log = { debug: () => {}, info: () => {}, warn, error: () => {} };
  const trustedNow = createTrustedTime({ clock: { now: () => time.clock }, log }, () => time.elapsed);
  return {
    time,
    warnings,
    trustedNow,
    pass: (milliseconds: number) => {
      time.clock += milliseconds;
      time.elapsed += milliseconds;
    },
  };
}

describe('trusted time (D8)', () => {
  it('is the time of a clock that runs normally', () => {
    const { time, pass, trustedNow, warnings } = clocks();
    pass(30 * hour);
    assert.equal(trustedNow(), time.clock);
    assert.deepEqual(warnings, []);
  });

  it('is not known for an hour after a jump ahead, which is reported once', () => {
    const { time, pass, trustedNow, warnings } = clocks();
    time.clock += 11 * minute;
    assert.equal(trustedNow(), null);
    pass(hour - 1);
    assert.equal(trustedNow(), null);
    pass(1);
    assert.equal(trustedNow(), time.clock);
    pass(minute);
    assert.equal(trustedNow(), time.clock);
    assert.deepEqual(warnings, ['clock jumped ahead']);
  });

  it('is known again at once when the clock is corrected, and every jump counts separately', () => {
    const { time, trustedNow, warnings } = clocks();
    for (let jump = 0; jump < 2; jump += 1) {
      time.clock += hour;
      assert.equal(trustedNow(), null);
      time.clock -= hour;
      assert.equal(trustedNow(), time.clock);
    }
    assert.equal(warnings.length, 2);
  });

  it('follows a clock that drifts', () => {
    const { time, pass, trustedNow } = clocks();
    for (let hours = 0; hours < 100; hours += 1) {
      pass(hour);
      time.clock += minute;
      assert.equal(trustedNow(), time.clock);
    }
  });

  it('a clock that is read constantly cannot gain much in small steps', () => {
    const { time, pass, trustedNow } = clocks();
    for (let gained = 0; gained <= 10 * minute; gained += minute / 2) {
      assert.equal(trustedNow(), time.clock);
      pass(1000);
      time.clock += minute / 2;
    }
    assert.equal(trustedNow(), null);
  });

  it('a jump back raises no doubt, the jump forward again does', () => {
    const { time, trustedNow } = clocks();
    time.clock -= hour;
    assert.equal(trustedNow(), time.clock);
    time.clock += hour;
    assert.equal(trustedNow(), null);
  });
});
