import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onceLoaded } from '../../src/pages/once.ts';

test('what is loaded once is loaded again after a failure', async () => {
  const answers = [Promise.reject(new Error('a file is missing')), Promise.resolve('first'), Promise.resolve('second')];
  const load = onceLoaded(() => answers.shift() ?? assert.fail('it was loaded already'));
  await assert.rejects(load(), /a file is missing/);
  assert.deepEqual(await Promise.all([load(), load()]), ['first', 'first']);
  assert.equal(await load(), 'first');
});
