/** Long patterns are replaced as V8 replaces them. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assert as check, constantFrom, integer, property, tuple } from 'fast-check';
import { replaceAll } from '../../../src/domain/hooks/replace-all.ts';

describe('replacing long patterns', () => {
  it('the pattern at the start, at the end, twice in a row, within itself, and not at all', () => {
    const run = 'k'.repeat(300);
    const pattern = `${run}-${run}`;
    for (const text of [
      pattern,
      `a ${pattern} b ${pattern}${pattern}`,
      `k${pattern}k`,
      `${run}-${run}-${run}-${run}`,
      `${run}${run}`,
      `${pattern.slice(1)} ${pattern.slice(0, -1)}`,
      '',
    ]) {
      assert.equal(replaceAll(text, pattern, '****'), text.replaceAll(pattern, '****'));
    }
    assert.equal(replaceAll('aaaa', 'aa', '*'), '**');
  });

  it('texts and patterns of few letters, which have many beginnings in each other', () => {
    const run = tuple(constantFrom('a', 'b', 'ab', 'aab', 'é'), integer({ min: 1, max: 200 }));
    const runs = tuple(run, run, run);
    const written = (of: readonly (readonly [string, number])[]) =>
      of.map(([piece, times]) => piece.repeat(times)).join('');
    check(
      property(runs, runs, integer({ min: 0, max: 3 }), (some, others, times) => {
        const pattern = written(some);
        const text = `${written(others)}${pattern.repeat(times)}${pattern.slice(5)}${pattern}`;
        assert.equal(replaceAll(text, pattern, '****'), text.replaceAll(pattern, '****'));
      }),
    );
  });
});
