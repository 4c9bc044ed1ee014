/** The functions of a noun, made when they are used. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lazily } from '../../src/store/lazily.ts';

/** With the number of times that they were made. */
function openVerbs() {
  let made = 0;
  const verbs = lazily(() => {
    made += 1;
    return { find: () => 'found', list: () => 'listed' };
  });
  return { verbs, made: () => made };
}

describe('what is made lazily', () => {
  it('is made at its first use, and once', () => {
    const { verbs, made } = openVerbs();
    const kept = { verbs };
    assert.equal(made(), 0);
    assert.equal(kept.verbs.find(), 'found');
    assert.equal(kept.verbs.list(), 'listed');
    assert.equal(made(), 1);
  });

  it('is copied whole, and says what it has', () => {
    const { verbs } = openVerbs();
    const copy = { ...verbs, list: () => 'listed otherwise' };
    assert.deepEqual([copy.find(), copy.list()], ['found', 'listed otherwise']);
    assert.deepEqual(Object.keys(verbs), ['find', 'list']);
    assert.deepEqual(['find' in verbs, 'remove' in verbs], [true, false]);
  });

  it('is not written to: nobody would read it', () => {
    const { verbs } = openVerbs();
    assert.throws(() => Object.assign(verbs, { find: () => 'another' }), TypeError);
    assert.throws(() => Reflect.deleteProperty(verbs, 'find') || assert.fail(new TypeError('kept')), TypeError);
    assert.equal(verbs.find(), 'found');
  });
});
