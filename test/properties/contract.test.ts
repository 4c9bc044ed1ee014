/** Requests made by the contracts alone, right ones and ones with exactly one thing wrong, against the running service. */

import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import fc from 'fast-check';
import { unseenStatuses } from '../support/conforms.ts';
import { databases } from '../support/stores.ts';
import { amountsOf } from './amounts.ts';
import { faultKinds } from './fault.ts';
import { faultsOf } from './faults.ts';
import { allOperations, generatedContracts } from './operations.ts';
import { plansOf, validPlans } from './requests.ts';
import { lanes, type Run, startRun } from './run.ts';
import { readSeed } from './seed.ts';

const seed = readSeed();
const operations = allOperations();

/** Statuses that only a fault of the service or a limit brings forth; test/faults and the tests of the limits see them. */
const causedOtherwise = ['429', '500', '503'];
/** Answered only where the policy asks for a second factor. */
const byPolicy = ['pages acceptInvite 200'];

for (const kind of databases) {
  describe(`generated requests on ${kind}`, () => {
    const amounts = amountsOf(kind, operations);
    let run: Run;

    before(async () => {
      run = await startRun(kind, seed);
    });
    after(() => run?.dispose());

    it('says how to send the same requests again', (t) => t.diagnostic(`PROPERTY_SEED=${seed}`));

    describe('by operation', { concurrency: lanes }, () => {
      for (const operation of operations) {
        const { valid = 0, wrong = 0 } = amounts.get(operation.name) ?? {};

        it(`${operation.name}: ${valid} requests that fit the contract are answered as documented`, () => {
          const fitting = fc.asyncProperty(validPlans(operation), (plan) => run.sendValid(plan));
          return fc.assert(fitting, { seed, numRuns: valid });
        });

        it(`${operation.name}: ${wrong} requests with one thing wrong are refused, naming it`, () => {
          const faulty = fc.asyncProperty(plansOf(operation, 'example'), faultsOf(operation), (plan, fault) =>
            run.sendWrong(plan, fault),
          );
          return fc.assert(faulty, { seed, numRuns: wrong });
        });
      }
    });

    it('enough requests passed validation', (t) => {
      const { requests, percent } = report(t, run, kind);
      assert.ok(percent >= 30, `only ${percent} % passed validation`);
      if (kind === 'sqlite') assertEnough(run, requests);
    });
  });
}

it('every documented status was seen, but those that only faults and limits cause', () => {
  const unseen = [...generatedContracts.keys()].flatMap((surface) =>
    unseenStatuses(surface).map((one) => `${surface} ${one}`),
  );
  const missing = unseen.filter((one) => !causedOtherwise.some((status) => one.endsWith(` ${status}`)));
  assert.deepEqual(
    missing.filter((one) => !byPolicy.includes(one)),
    [],
  );
});

/** One line for each operation and one for all. */
function report(t: TestContext, { tallies }: Run, kind: string): { requests: number; percent: number } {
  let requests = 0;
  let passed = 0;
  for (const [name, tally] of tallies) {
    const statuses = [...tally.statuses].sort(([one], [other]) => one - other);
    const seen = statuses.map(([status, times]) => `${status}×${times}`).join(' ');
    t.diagnostic(`${name}: ${tally.valid} valid, of which ${tally.passed} passed; ${tally.wrong} wrong; ${seen}`);
    requests += tally.valid + tally.wrong;
    passed += tally.passed;
  }
  const percent = (100 * passed) / requests;
  t.diagnostic(`${kind}: ${requests} requests, ${percent.toFixed(1)} % passed validation, seed ${seed}`);
  return { requests, percent };
}

function assertEnough({ tallies }: Run, requests: number): void {
  assert.ok(requests >= 20_000, `only ${requests} requests were sent`);
  const few = [...tallies].filter(([, tally]) => tally.passed < 200 || tally.wrong < 200).map(([name]) => name);
  assert.deepEqual(few, [], 'operations that passed or were refused fewer than 200 times');
  const tried = new Set([...tallies.values()].flatMap(({ kinds }) => [...kinds.keys()]));
  assert.deepEqual(
    faultKinds.filter((one) => !tried.has(one)),
    [],
    'kinds of faults that never occurred',
  );
}
