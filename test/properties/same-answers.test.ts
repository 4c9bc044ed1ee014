import assert from 'node:assert/strict';
import { test } from 'node:test';
import { managing, operationsOf, using } from './operations.ts';
import { compareAnswers } from './same-answers.ts';
import { readSeed } from './seed.ts';

/** More than ten thousand in the drill O12. */
test('what makes requests quick changes no answer: two of one in 24 operations, one with an error', async (t) => {
  const operations = operationsOf([...using, ...managing]).filter((_, index) => index % 24 === 0);
  const { requests, passed, differences } = await compareAnswers(operations, 1, readSeed());
  t.diagnostic(`${requests} requests, ${passed} reached a handler`);
  assert.deepEqual(differences, []);
  assert.ok(passed >= requests / 10, `${passed} of ${requests} reached a handler`);
});
