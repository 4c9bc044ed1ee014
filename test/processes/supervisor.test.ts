/** What comes to the supervisor while the first process starts. */

import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { install } from '../support/process.ts';
import { until } from '../support/until.ts';

/** Whether it has started its first process; it may ask other programs for their version before. */
function hasProcess({ pid }: ChildProcess): boolean {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return children.split(' ').some((child) => child !== '' && wordsOf(child).includes('--process'));
}

function wordsOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    // It has ended.
    return [];
  }
}

describe('serve --processes, during its start', { skip: process.platform !== 'linux' }, () => {
  it('takes a SIGHUP for one that comes after it', async () => {
    const installation = await install('sqlite');
    const supervisor = installation.start(['serve', '--processes', '1']);
    const closed = once(supervisor, 'close');
    try {
      let said = '';
      supervisor.stdout.on('data', (text) => {
        said += text;
      });
      await until(() => hasProcess(supervisor));
      assert.ok(!said.includes('"event":"listening"'));
      supervisor.kill('SIGHUP');
      await until(
        () =>
          said.includes('"event":"processes replaced"') ||
          supervisor.exitCode !== null ||
          supervisor.signalCode !== null,
      );
      supervisor.kill('SIGTERM');
      const [code, signal] = await closed;
      assert.deepEqual([code, signal], [0, null], said);
      assert.match(said, /"event":"listening".*"event":"processes replaced"/s);
    } finally {
      supervisor.kill('SIGKILL');
      await installation.dispose();
    }
  });
});
