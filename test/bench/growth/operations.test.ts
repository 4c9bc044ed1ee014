import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { conforms, contracts } from '../../support/conforms.ts';
import { isWhole, sampled } from '../../support/sample.ts';
import { createPrepare, type Prepared, type Served } from './installation.ts';
import { fewUsers } from './measure.ts';
import { askOnce } from './measure-use.ts';
import { allUses } from './operations.ts';

describe('the operations in a growing account', () => {
  let prepared: Prepared;
  let served: Served;
  before(async () => {
    prepared = await createPrepare()('sqlite', isWhole ? fewUsers : 100);
    served = await prepared.serve();
  });
  after(async () => {
    await served?.stop();
    await prepared?.dispose();
  });

  it('cover every operation of the contracts', () => {
    const known = new Set(allUses().map(({ surface, operation }) => `${surface} ${operation}`));
    const documented = [...contracts].flatMap(([surface, { routes }]) =>
      [...routes.operations.keys()].map((operation) => `${surface} ${operation}`),
    );
    assert.deepEqual([...known].sort(), documented.sort());
  });

  it('each succeed', async () => {
    // Twice, for the second request continues with what the first one left; one in 36 of
    // them, which the tests of surfaces ask too, and the drill M5 all.
    for (const use of sampled(allUses(), 36)) {
      for (let turn = 0; turn < 2; turn += 1) {
        const asked = askOnce(served, use);
        const { path, answer } = await asked.catch((error: Error) => assert.fail(`${use.name}: ${error.message}`));
        conforms(use.method, path, answer);
      }
    }
  });
});
