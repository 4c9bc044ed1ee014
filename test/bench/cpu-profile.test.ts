import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type CpuProfile, isIdle, partOf, sampleTimes } from './cpu-profile.ts';

const frame = (functionName: string, url = '') => ({ callFrame: { functionName, url } });

const profile: CpuProfile = {
  startTime: 1000,
  nodes: [
    { id: 1, ...frame('(root)'), children: [2, 3, 4] },
    { id: 2, ...frame('(idle)') },
    { id: 3, ...frame('(garbage collector)') },
    { id: 4, ...frame('consumeAll', 'file:///gatehouse/src/store/knex/sqlite/consume.ts'), children: [5, 6] },
    { id: 5, ...frame('get') },
    { id: 6, ...frame('toString'), children: [7] },
    { id: 7, ...frame('emit', 'node:events') },
  ],
  samples: [2, 5, 7],
  timeDeltas: [10, 20, 30],
};

describe('parts of a CPU profile', () => {
  it('attributes native functions and small Node modules to their caller', () => {
    const part = partOf(profile);
    assert.equal(part(4), 'store: SQLite and its commits, rows and records');
    assert.equal(part(5), 'store: SQLite and its commits, rows and records');
    assert.equal(part(7), 'store: SQLite and its commits, rows and records');
    assert.equal(part(3), 'garbage collection');
    assert.equal(part(1), 'promises and timers');
    assert.ok(isIdle(profile, 2) && !isIdle(profile, 5));
  });

  it('gives the time and the duration of each sample', () => {
    assert.deepEqual(
      [...sampleTimes(profile)],
      [
        { node: 2, at: 1010, microseconds: 20 },
        { node: 5, at: 1030, microseconds: 30 },
        { node: 7, at: 1060, microseconds: 0 },
      ],
    );
  });
});
