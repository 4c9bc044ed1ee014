import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Schemas } from '../../src/console/api/contract.ts';
import { Problem } from '../../src/console/api/problem.ts';
import { counted } from '../../src/console/parts/counted.ts';
import { runFor } from '../../src/console/screens/users/bulk/run.ts';

const users = [1, 2, 3].map((id) => ({ id })) as Schemas['User'][];

describe('an action of the console for several users', () => {
  test('who stops it while it waits for the limit of calls was not refused', async () => {
    const stop = new AbortController();
    const act = async ({ id }: Schemas['User']) => {
      if (id === 1) return;
      queueMicrotask(() => stop.abort());
      throw new Problem(429, 'Too many requests', 3600);
    };
    const { done, failed, left, ended } = await runFor(users, act, () => {}, stop.signal);
    assert.deepEqual([done, failed, left.map(({ id }) => id), ended], [1, [], [2, 3], null]);
  });

  test('what is refused while it is stopped is told', async () => {
    const stop = new AbortController();
    const act = async () => {
      stop.abort();
      throw new Problem(409, 'No');
    };
    const { failed, left } = await runFor(users, act, () => {}, stop.signal);
    assert.deepEqual([failed.map(({ problem }) => problem.message), left.length], [['No'], 3]);
  });
});

test('numbers have their noun in the right form', () => {
  assert.deepEqual(
    [0, 1, 2, 1200].map((count) => counted(count, 'line')),
    ['0 lines', '1 line', '2 lines', '1,200 lines'],
  );
});
