import assert from 'node:assert/strict';
import { test } from 'node:test';
import { indexContinually } from '../../../src/domain/users/index-continually.ts';

test('what the database refuses of the index of users is logged', async () => {
  const stopping = new AbortController();
  const logged: unknown[] = [];
  const store = { indexUsers: async () => ({ indexed: 0, isLast: true, refused: 'permission denied' }) };
  const log = { error: (...line: unknown[]) => void logged.push(line) };
  const rest = async () => stopping.abort();
  await indexContinually({ store, log }, { monotonic: () => 0, rest, signal: stopping.signal });
  assert.deepEqual(logged, [['index of users not made', { reason: 'permission denied' }]]);
});
