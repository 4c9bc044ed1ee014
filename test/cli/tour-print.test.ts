import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { say } from '../../scripts/tour/print.ts';

test('the tour escapes terminal control characters', () => {
  const write = mock.method(process.stdout, 'write', () => true);
  say('← 200\n  \u001b]0;title\u0007\u009b2J\u202etext\n');
  const written = write.mock.calls.map(({ arguments: [text] }) => text);
  write.mock.restore();
  assert.deepEqual(written, ['← 200\n  \\u001b]0;title\\u0007\\u009b2J\\u202etext\n']);
});
