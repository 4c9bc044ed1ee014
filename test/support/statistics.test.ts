import assert from 'node:assert/strict';
import { test } from 'node:test';
import { areaUnderCurve, mean, percentile, welchT } from './statistics.ts';

test('the area under the curve is the share of ordered pairs, with ties counted as half', () => {
  assert.equal(areaUnderCurve([1, 2, 3], [4, 5]), 1);
  assert.equal(areaUnderCurve([4, 5], [1, 2, 3]), 0);
  assert.equal(areaUnderCurve([1, 2, 3], [1, 2, 3]), 0.5);
  assert.equal(areaUnderCurve([7, 7, 7], [7, 7]), 0.5);
  // Pairs in order: (1, 2), (1, 4), (3, 4) of four.
  assert.equal(areaUnderCurve([1, 3], [2, 4]), 0.75);
});

test("Welch's t is the difference of means over its standard error", () => {
  // Means 2 and 5, variances 1 and 7 over three values each.
  assert.ok(Math.abs(welchT([1, 2, 3], [2, 6, 7]) - 3 / Math.sqrt(1 / 3 + 7 / 3)) < 1e-12);
  assert.equal(welchT([1, 2, 3], [3, 2, 1]), 0);
  assert.ok(welchT([5, 6], [1, 2]) < 0);
});

test('mean and percentile', () => {
  assert.equal(mean([1, 2, 6]), 3);
  assert.equal(percentile([5, 1, 3, 2, 4], 0.5), 3);
  assert.equal(percentile([5, 1, 3, 2, 4], 0.99), 5);
  assert.equal(percentile([7], 0), 7);
});
