/** What is kept in memory for each port of a process. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { perKey } from '../../src/domain/per-key.ts';

describe('what is kept for each key', () => {
  it('is made once for a key, and is another one for another key', () => {
    const of = perKey<object, Set<string>>(() => new Set());
    const [one, other] = [{}, {}];
    of(one).add('kept');
    assert.deepEqual([...of(one)], ['kept']);
    assert.deepEqual([...of(other)], []);
  });
});
