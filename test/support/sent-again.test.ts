import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertFewSentAgain } from './sent-again.ts';

it('a few retries are allowed, as after a pause of the machine; a fault in one request of ten is not', () => {
  const reasons = (count: number) => Array.from({ length: count }, (_, index) => `GET /${index}: 503`);
  assertFewSentAgain([], 0, 0);
  assertFewSentAgain(reasons(8 + 20), 1000, 8);
  assert.throws(
    () => assertFewSentAgain(reasons(8 + 21), 1000, 8),
    /29 of 1000 requests were sent again:\nGET \/0: 503/,
  );
  assert.throws(() => assertFewSentAgain(reasons(100), 1000, 16), /100 of 1000/);
});
