import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hasThread, processorTime } from './processor-time.ts';

describe('processor time', { skip: process.platform !== 'linux' }, () => {
  it('leaves out threads of a name', () => {
    const until = performance.now() + 30;
    while (performance.now() < until);
    const [all, without] = [processorTime([process.pid]) ?? 0, processorTime([process.pid], 'MainThread') ?? 0];
    assert.ok(all - without > 20_000, `${all} without ${without}`);
  });

  it('knows whether there is a thread of a name', () => {
    assert.deepEqual(
      [hasThread([process.pid], 'MainThread'), hasThread([process.pid], 'no such thread')],
      [true, false],
    );
  });

  it('is not known of a process that is not there', () => {
    assert.equal(processorTime([2 ** 30]), null);
    assert.equal(processorTime([2 ** 30], 'MainThread'), null);
  });
});
