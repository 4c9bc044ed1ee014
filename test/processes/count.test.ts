import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countProcesses, readPlace, thisMachine, writePlace } from '../../src/processes/count.ts';

const postgres = 'postgres://127.0.0.1/gatehouse';
const gigabyte = 1024 ** 3;

describe('the number of processes', () => {
  it('is that of the cores with `auto`, as far as memory reaches', () => {
    assert.equal(countProcesses('auto', postgres, { cores: 8, memory: 16 * gigabyte }), 8);
    assert.equal(countProcesses('auto', postgres, { cores: 8, memory: gigabyte }), 4);
    assert.equal(countProcesses('auto', postgres, { cores: 1, memory: gigabyte / 8 }), 1);
    const { cores, memory } = thisMachine();
    assert.ok(cores >= 1 && memory > gigabyte / 8);
  });

  it('is one on SQLite, where `auto` says so and more are refused with the reason', () => {
    const machine = { cores: 8, memory: 16 * gigabyte };
    assert.equal(countProcesses('auto', 'sqlite:data/gatehouse.db', machine), 1);
    assert.equal(countProcesses('1', 'sqlite:data/gatehouse.db', machine), 1);
    assert.throws(() => countProcesses('2', 'sqlite:data/gatehouse.db', machine), /needs PostgreSQL: on SQLite one/);
  });

  it('is a whole number from 1 to 256', () => {
    assert.equal(countProcesses('256', postgres), 256);
    for (const text of ['', '0', '257', '1000', '-1', '1.5', '2x', ' 2', 'all', 'AUTO']) {
      assert.throws(() => countProcesses(text, postgres), { code: 'value_invalid' }, text);
    }
  });

  it('is written beside the number of each', () => {
    assert.deepEqual(readPlace(writePlace({ number: 3, of: 16 }).at(-1) ?? ''), { number: 3, of: 16 });
  });
});
