import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { hmacKey, hmacOf } from '../../../src/domain/keys/hmac.ts';

test('a MAC is what OpenSSL says, for keys and texts of every length', () => {
  for (let length = 0; length <= 64; length += 1) {
    const bytes = randomBytes(length);
    const key = hmacKey(bytes);
    for (const text of ['', 'a', 'é𝄞', 'x'.repeat(length), 'y'.repeat(1_000)]) {
      assert.deepEqual(hmacOf(key, text), createHmac('sha256', bytes).update(text).digest());
    }
  }
});

test('the two cases of RFC 4231 whose keys have 20 and 4 bytes', () => {
  const first = hmacOf(hmacKey(Buffer.alloc(20, 0x0b)), 'Hi There').toString('hex');
  assert.equal(first, 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7');
  const second = hmacOf(hmacKey(Buffer.from('Jefe')), 'what do ya want for nothing?').toString('hex');
  assert.equal(second, '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843');
});

test('a key of more than a block is refused', () => {
  assert.throws(() => hmacKey(Buffer.alloc(65)), RangeError);
});
