/** S1 to S4: no function exceeds its time and memory, or affects its neighbours. */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { attack, type Round } from './attack.ts';
import { guests } from './guests.ts';
import { openRunner, type TestRunner } from './runner.ts';

/** Short, because most guests use it up; the service gives whole seconds. */
const timeoutMilliseconds = 250;
/** Of a machine that is busy with other tests: that it is bounded at all. The drill S1 measures how soon. */
const toleranceMilliseconds = 60_000;

let runner: TestRunner;
let round: Round;
before(async () => {
  runner = await openRunner();
  round = await attack(runner, timeoutMilliseconds);
});
after(() => runner.close());

describe('S1: a hostile function', () => {
  for (const { attack: name, endings } of guests) {
    it(`is bounded: ${name}`, () => {
      const attacked = round.attacked.find(({ guest }) => guest.attack === name);
      assert.ok(attacked);
      assert.ok(endings.includes(attacked.ending as never), attacked.ending);
      assert.ok(attacked.overrunMilliseconds < toleranceMilliseconds, `${attacked.overrunMilliseconds} ms too long`);
    });
  }

  it('S2: costs no neighbour a run', () => {
    assert.ok(round.neighbour.calls > 10);
    assert.deepEqual(round.neighbour.failures, []);
  });

  it('S3: uses no more memory than a process may', () => {
    assert.ok((round.peakMegabytes ?? 0) <= 384, `${round.peakMegabytes} MB`);
  });

  it('does not affect later runs', async () => {
    assert.equal(await runner.value('exports.handler = () => 1', { accountId: 7 }), 1);
    assert.equal(runner.health().state, 'ok');
  });
});
