/** Texts for people to read: composed, and how long they may be. */

import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import { composed, readText } from '../../src/domain/text.ts';

describe('texts', () => {
  it('are composed, and counted as they are then', () => {
    assert.equal(readText('name', 'e\u0301'.repeat(255)), 'é'.repeat(255));
    assert.equal(composed('\u03b1\u0313\u0300\u0345'.repeat(4), 4), '\u1f82'.repeat(4));
    assert.throws(() => readText('name', 'é'.repeat(256)), { code: 'value_invalid' });
    assert.throws(() => readText('title', '', 20), { message: 'title must have 1 to 20 characters' });
  });

  it('that are too long however they are composed are refused as they are', () => {
    const normalize = mock.method(String.prototype, 'normalize');
    try {
      assert.equal(composed('\u0345\u0334'.repeat(15_000), 255), null);
      assert.throws(() => readText('name', '\u0345'.repeat(1_531)), { message: 'name must have 1 to 255 characters' });
      assert.equal(normalize.mock.callCount(), 0);
    } finally {
      normalize.mock.restore();
    }
  });
});
