/**
 * Every member that a contract requires and every enum of its requests, one by one: a request that leaves the member
 * out, or has another value, is refused, as the contract documents it. One in 54; the drill M9 tries all.
 */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sampled } from '../support/sample.ts';
import { databases } from '../support/stores.ts';
import { type Demand, demandsOf } from './demands.ts';
import { managing, type Operation, operationsOf, using } from './operations.ts';
import { examplesOf } from './requests.ts';
import { lanes, type Run, startRun } from './run.ts';
import { readSeed } from './seed.ts';

const [kind = 'sqlite'] = databases;
const seed = readSeed();

/** A request of an example that meets the demand, and no longer does. */
async function assertRefused(run: Run, operation: Operation, { text, faultIn }: Demand): Promise<void> {
  for (const plan of examplesOf(operation, seed)) {
    const fault = faultIn(plan);
    if (fault) return run.sendWrong(plan, fault);
  }
  assert.fail(`no example of ${operation.name} can show that ${text}`);
}

for (const surfaces of [using, managing]) {
  describe(`what the contracts of ${surfaces.join(', ')} demand`, () => {
    const operations = operationsOf(surfaces);
    const written = new Map(operationsOf(surfaces, true).map((operation) => [operation.name, operation]));
    let run: Run;

    before(async () => {
      run = await startRun(kind, seed, operations);
    });
    after(() => run?.dispose());

    describe('is refused where it is not met', { concurrency: lanes }, () => {
      for (const [index, operation] of operations.entries()) {
        for (const demand of sampled(demandsOf(written.get(operation.name) ?? operation), 54, index)) {
          it(`${operation.name}: ${demand.text}`, () => assertRefused(run, operation, demand));
        }
      }
    });
  });
}
