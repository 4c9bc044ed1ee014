import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { processorTime } from './processor-time.ts';

describe('processor time', { skip: process.platform !== 'linux' }, () => {
  it('leaves out threads of a name', () => {
    const until = performance.now() + 30;
    while (performance.now() < until);
    const [all, without] = ['no such thread', 'MainThread'].map((name) => processorTime([process.pid], name) ?? 0);
    assert.ok(all && without !== undefined && all - without > 20_000, `${all} without ${without}`);
  });

  it('is not known of a process that is not there', () => {
    assert.equal(processorTime([2 ** 30]), null);
    assert.equal(processorTime([2 ** 30], 'MainThread'), null);
  });
});
