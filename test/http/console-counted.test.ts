import assert from 'node:assert/strict';
import { test } from 'node:test';
import { counted } from '../../src/console/parts/counted.ts';

test('numbers of the console have their noun in the right form', () => {
  assert.deepEqual(
    [0, 1, 2, 1200].map((count) => counted(count, 'line')),
    ['0 lines', '1 line', '2 lines', '1,200 lines'],
  );
});
