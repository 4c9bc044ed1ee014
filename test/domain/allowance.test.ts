/** What accounts may use up in a period. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createAllowance } from '../../src/domain/allowance.ts';

describe('an allowance', () => {
  it('is of each account, up to the last bit of it, and whole again in the next period', () => {
    const { take } = createAllowance(1_000);
    assert.deepEqual([take(1, 60, 100, 5_000), take(1, 41, 100, 5_500), take(1, 40, 100, 5_999)], [true, false, true]);
    assert.equal(take(2, 100, 100, 5_999), true);
    assert.deepEqual([take(1, 1, 100, 5_999), take(1, 100, 100, 6_000)], [false, true]);
  });
});
