import assert from 'node:assert/strict';
import { it } from 'node:test';
import { runGroup } from '../../scripts/run-group.ts';

const node = (script: string) => runGroup(process.execPath, ['--eval', script], { stdio: 'ignore' });

it('a program at the head of its group: its exit status, or 1 if a signal ended it', async () => {
  assert.deepEqual(
    [await node(''), await node('process.exit(3)'), await node("process.kill(process.pid, 'SIGKILL')")],
    [0, 3, 1],
  );
});

it('a signal after the group has ended is harmless', async () => {
  await node('');
  process.emit('SIGHUP', 'SIGHUP');
});

it('a signal is passed on to the group', async () => {
  const running = node('setTimeout(() => {}, 60_000)');
  process.emit('SIGHUP', 'SIGHUP');
  assert.equal(await running, 1);
});
